import Koa from 'koa2'
import { describe } from 'vitest'
import { koaLogins } from './koa-logins.js'

describe('Koa 2 has the user of', () => koaLogins(Koa))
