/// <reference path="../../../examples/oauth/oidc-provider.d.ts" />
/** A real authorization server for the page to sign in at: oidc-provider, with the pages of the example. */

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import express from 'express'
import { exportJWK, generateKeyPair } from 'jose'
import { jwtVerifier } from 'mcp-router/auth'
import Provider, { errors } from 'oidc-provider'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { createPages } from '../../../examples/oauth/pages.js'
import { ana, findUser } from '../../../examples/oauth/users.js'
import type { Host } from '../../contract/host.js'
import { started } from '../../integrations/node/host.js'

const scopes = ['tasks:read', 'tasks:write']

export interface Wanted {
  /** Default: what oidc-provider allows, and registration for pages too. */
  readonly cors?: 'nowhere'
  /** Default true. */
  readonly registers?: boolean
  /** Of access tokens, in seconds. */
  readonly lifetime?: number
  /** How documents of clients are fetched. */
  readonly fetch?: typeof fetch
}

/**
 * Listens at once, and is there for the endpoint of the host that is started next. `way.back` may change what people are
 * sent back with.
 */
export async function authorizationServer(wanted: Wanted = {}) {
  const app = express()
  const { origin: issuer, close } = await started(createServer(app))
  onTestFinished(close)
  const verify = jwtVerifier({ issuer })
  const auth = { authorizationServers: [issuer], scopesSupported: ['tasks:read'], verify }
  const way = { back: (_answer: URLSearchParams): void => {} }
  const serve = async (resource: string): Promise<void> => {
    app.use((_req, res, next) => {
      const { setHeader } = res
      res.setHeader = (name, value) => {
        if (wanted.cors === 'nowhere' && /^access-control-/i.test(name)) return res
        const isBack = /^location$/i.test(name) && String(value).startsWith(`${resource}?`)
        return setHeader.call(res, name, isBack ? changed(String(value), way.back) : value)
      }
      next()
    })
    app.use(createPages(await providerOf(issuer, resource, wanted)))
  }
  /** `host`, whose endpoint it issues tokens for. */
  const inFrontOf = (host: Host): Host => ({
    ...host,
    async start(setup) {
      const running = await host.start(setup)
      await serve(`${running.origin}/mcp`)
      return running
    },
  })
  return { issuer, auth, inFrontOf, way }
}

function changed(address: string, change: (answer: URLSearchParams) => void): string {
  const url = new URL(address)
  change(url.searchParams)
  return url.href
}

async function providerOf(issuer: string, resource: string, wanted: Wanted): Promise<Provider> {
  const { registers = true, lifetime = 600, fetch = globalThis.fetch } = wanted
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' }
  return new Provider(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: ['openid', 'offline_access', ...scopes],
    pkce: { required: () => true },
    clients: [
      {
        client_id: 'given',
        application_type: 'native',
        redirect_uris: [resource],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    findAccount: (_ctx: unknown, id: string) =>
      findUser(id) && { accountId: id, claims: async () => ({ sub: id }) },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    fetch,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registers },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx: unknown, asked: string) => {
          if (asked !== resource) throw new errors.InvalidTarget()
          return {
            scope: scopes.join(' '),
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: lifetime,
            jwt: { sign: { alg: 'RS256' } },
          }
        },
      },
    },
    ttl: { Session: 3600, Grant: 3600, Interaction: 600, IdToken: 600, RefreshToken: 3600 },
  })
}

/** What a person does there. */
export async function letIn(page: Page, answer: 'Allow' | 'Deny' = 'Allow'): Promise<void> {
  const name = page.getByLabel('Name')
  await name.or(page.getByRole('button', { name: answer })).waitFor()
  if (await name.isVisible()) {
    await name.fill(ana.name)
    await page.getByLabel('Password').fill(ana.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.getByRole('button', { name: answer }).click()
}
