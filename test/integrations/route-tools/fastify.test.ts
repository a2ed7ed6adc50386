import multipart5 from '@fastify/multipart'
import fastify5 from 'fastify'
import fastify4 from 'fastify4'
import multipart4 from 'fastify4-multipart'
import { fastifyRouteHost } from './fastify.js'
import { routeContract, routeTools } from './suite.js'

routeTools(fastifyRouteHost('Fastify 4', { fastify: fastify4, multipart: multipart4 }))
routeTools(fastifyRouteHost('Fastify 5', { fastify: fastify5, multipart: multipart5 }))
routeContract(
  fastifyRouteHost('a scope of Fastify 4', { fastify: fastify4, multipart: multipart4, place: 'scope' }),
)
routeContract(
  fastifyRouteHost('a scope of Fastify 5', { fastify: fastify5, multipart: multipart5, place: 'scope' }),
)
