/** Where people sign in for this server, and what can be done there (RFC 9728, RFC 8414, OpenID Connect Discovery). */

import { isObject } from '../../src/support/values.js'
import { endpoint } from '../session.js'
import type { Challenge } from './challenge.js'
import { ask, type Document } from './fetching.js'

/** What the server says of how to sign in. */
export interface Offer {
  /** What tokens must be for. */
  readonly resource: string
  /** Issuers. */
  readonly servers: readonly string[]
  readonly scopes: readonly string[]
}

export interface AuthorizationServer {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint: string | undefined
  readonly takesDocuments: boolean
  readonly scopes: readonly string[]
  /** It says of each answer who it is (RFC 9207). */
  readonly namesItself: boolean
}

const base = endpoint.replace(/\/$/, '')

/** `undefined` where the server names nobody. @throws where this page is not what tokens are for */
export async function readOffer(challenge: Challenge | undefined): Promise<Offer | undefined> {
  // Of other origins nothing can be read, and nothing believed.
  const named = [challenge?.metadataUrl].filter((url) => url?.startsWith(`${location.origin}/`))
  for (const url of [...named, `${base}/.well-known/oauth-protected-resource`]) {
    const document = await documentAt(String(url))
    const { resource, authorization_servers: servers, scopes_supported: scopes } = document ?? {}
    if (typeof resource !== 'string' || !Array.isArray(servers)) continue
    if (!isHere(resource)) {
      throw new Error(
        `The server says that it is ${resource}, but this page is at ${endpoint}. Open it there, or let its option publicUrl say where it is.`,
      )
    }
    return { resource, servers: servers.filter(isUrl), scopes: textsIn(scopes) }
  }
  return undefined
}

async function documentAt(url: string): Promise<Document | undefined> {
  const response = await fetch(url, { headers: { Accept: 'application/json' } })
  const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
  return isObject(body) ? body : undefined
}

/** This page, or what it is part of (specification, Resource Parameter Implementation). */
function isHere(resource: string): boolean {
  const known = resource.replace(/\/$/, '')
  return base === known || base.startsWith(`${known}/`)
}

/** @throws in words for people where it cannot be used from here */
export async function readServer(issuer: string, { servers }: Offer): Promise<AuthorizationServer> {
  const document = await discover(issuer)
  const { host } = new URL(issuer)
  const url = (name: string): string => {
    const value = document[name]
    if (!isUrl(value)) throw new Error(`${host} tells no ${name} that can be used.`)
    return value
  }
  if (!textsIn(document.code_challenge_methods_supported).includes('S256'))
    throw new Error(
      `${host} does not say that it supports PKCE with S256, without which no client may go on.`,
    )
  const tokenEndpoint = url('token_endpoint')
  const isReachable = (address: string): boolean =>
    servers.some((server) => new URL(server).origin === new URL(address).origin)
  if (!isReachable(tokenEndpoint)) {
    throw new Error(
      `${host} has its tokens at ${new URL(tokenEndpoint).host}, where this page may send nothing: it may reach what \`authorizationServers\` names. Get a token elsewhere and paste it here.`,
    )
  }
  const { registration_endpoint: registration } = document
  return {
    issuer: String(document.issuer),
    authorizationEndpoint: url('authorization_endpoint'),
    tokenEndpoint,
    registrationEndpoint: isUrl(registration) && isReachable(registration) ? registration : undefined,
    takesDocuments: document.client_id_metadata_document_supported === true,
    scopes: textsIn(document.scopes_supported),
    namesItself: document.authorization_response_iss_parameter_supported === true,
  }
}

/** The first of the three addresses that tells of this issuer (specification, Authorization Server Metadata Discovery). */
async function discover(issuer: string): Promise<Document> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
  for (const address of addresses) {
    const { ok, body } = await ask(address)
    if (!ok || typeof body.issuer !== 'string') continue
    // Whoever could speak for another one would be given its codes.
    if (body.issuer.replace(/\/$/, '') === issuer.replace(/\/$/, '')) return body
    throw new Error(`${address} speaks for ${body.issuer}, not for ${issuer}.`)
  }
  throw new Error(
    `${new URL(issuer).host} does not describe itself: expected it at ${addresses.join(' or ')}.`,
  )
}

/** Over TLS, or to this machine. */
function isUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
