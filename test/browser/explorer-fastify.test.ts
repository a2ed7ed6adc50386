import fastify from 'fastify'
import { type FastifyModules, fastifyHost } from '../integrations/fastify/host.js'
import { explorerSuite } from './explorer/suite.js'

explorerSuite('Fastify', fastifyHost({ fastify } as FastifyModules))
