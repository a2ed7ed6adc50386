import Koa from 'koa'
import { describe } from 'vitest'
import { koaLogins } from './koa-logins.js'

describe('Koa 3 has the user of', () => koaLogins(Koa))
