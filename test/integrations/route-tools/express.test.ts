import { createRequire } from 'node:module'
import express from 'express'
import { expressRouteHost } from './express.js'
import { routeTools } from './suite.js'

const express4 = createRequire(import.meta.url)('express4') as typeof express
routeTools(expressRouteHost('Express 4', express4))
routeTools(expressRouteHost('Express 5', express))
