/** A real OAuth 2.1 authorization server: it registers clients, signs people in, and issues tokens for our API. */

import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { errors, type Interaction } from 'oidc-provider'
import { findUser } from './users.js'

export interface AuthorizationServerOptions {
  issuer: string
  /** The identifier of the API, the only resource that tokens are issued for. */
  resource: string
  scopes: readonly string[]
  /** Fetches the metadata documents of clients. */
  fetch: typeof fetch
}

export async function createAuthorizationServer(options: AuthorizationServerOptions): Promise<Provider> {
  const { issuer, resource, scopes, fetch } = options
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' }

  return new Provider(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: ['openid', ...scopes],
    pkce: { required: () => true },
    findAccount: (_ctx: unknown, id: string) =>
      findUser(id) && { accountId: id, claims: async () => ({ sub: id }) },
    interactions: { url: (_ctx: unknown, { uid }: Interaction) => `/interaction/${uid}` },
    extraTokenClaims: (_ctx: unknown, { accountId }: { accountId: string }) => ({
      org: findUser(accountId)?.org,
    }),
    // Clients register the scopes that they know at first. Don't limit them to these, because they may need more later.
    extraClientMetadata: {
      properties: ['scope'],
      validator: (_ctx: unknown, _key: string, _value: unknown, metadata: { scope?: string | undefined }) => {
        metadata.scope = undefined
      },
    },
    fetch,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx: unknown, wanted: string) => {
          if (wanted !== resource) throw new errors.InvalidTarget()
          return {
            scope: scopes.join(' '),
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 10 * 60,
            jwt: { sign: { alg: 'RS256' } },
          }
        },
      },
    },
    ttl: { Session: 3600, Grant: 3600, Interaction: 600, AccessToken: 600, IdToken: 600 },
  })
}
