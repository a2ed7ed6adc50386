/** Reads the metadata of the protected resource and its authorization servers (RFC 9728, RFC 8414, OpenID Discovery). */

import { isObject } from '../../src/support/values.js'
import { endpoint } from '../session.js'
import type { Challenge } from './challenge.js'
import { type Document, fetchJson } from './fetching.js'

/** The server's protected resource metadata. */
export interface ResourceMetadata {
  /** The resource that tokens must be issued for. */
  readonly resource: string
  /** The issuers of the authorization servers. */
  readonly servers: readonly string[]
  readonly scopes: readonly string[]
}

export interface AuthorizationServer {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint: string | undefined
  readonly supportsMetadataDocuments: boolean
  readonly scopes: readonly string[]
  /** Whether its authorization responses contain `iss` (RFC 9207). */
  readonly sendsIssuer: boolean
}

const base = endpoint.replace(/\/$/, '')

/**
 * Returns the resource metadata, or `undefined` if the server has none.
 * @throws Error with a message for the user if it is for a different URL
 */
export async function readResourceMetadata(
  challenge: Challenge | undefined,
): Promise<ResourceMetadata | undefined> {
  // Metadata of other origins can't be read, and isn't trusted.
  const named = [challenge?.metadataUrl].filter((url) => url?.startsWith(`${location.origin}/`))
  for (const url of [...named, `${base}/.well-known/oauth-protected-resource`]) {
    const document = await fetchDocument(String(url))
    const { resource, authorization_servers: servers, scopes_supported: scopes } = document ?? {}
    if (typeof resource !== 'string' || !Array.isArray(servers)) continue
    if (!coversThisPage(resource)) {
      throw new Error(
        `The server says that it is ${resource}, but this page is at ${endpoint}. Open the page there, or correct the server's option publicUrl.`,
      )
    }
    return { resource, servers: servers.filter(isUrl), scopes: stringsIn(scopes) }
  }
  return undefined
}

async function fetchDocument(url: string): Promise<Document | undefined> {
  const response = await fetch(url, { headers: { Accept: 'application/json' } })
  const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
  return isObject(body) ? body : undefined
}

/** Whether the resource is this page's URL or a prefix of it (specification, Resource Parameter Implementation). */
function coversThisPage(resource: string): boolean {
  const known = resource.replace(/\/$/, '')
  return base === known || base.startsWith(`${known}/`)
}

/** Reads an authorization server's metadata. @throws Error with a message for the user if this page can't use it */
export async function readServer(
  issuer: string,
  { servers }: ResourceMetadata,
): Promise<AuthorizationServer> {
  const document = await discover(issuer)
  const { host } = new URL(issuer)
  const url = (name: string): string => {
    const value = document[name]
    if (!isUrl(value)) throw new Error(`Expected a usable ${name} in the metadata of ${host}, got none.`)
    return value
  }
  if (!stringsIn(document.code_challenge_methods_supported).includes('S256'))
    throw new Error(`${host} does not declare support for PKCE with S256, which MCP clients require.`)
  const tokenEndpoint = url('token_endpoint')
  const isReachable = (url: string): boolean =>
    servers.some((server) => new URL(server).origin === new URL(url).origin)
  if (!isReachable(tokenEndpoint)) {
    throw new Error(
      `The token endpoint of ${host} is at ${new URL(tokenEndpoint).host}, which this page may not connect to: only origins in \`authorizationServers\` are allowed. Get a token elsewhere and paste it here.`,
    )
  }
  const { registration_endpoint: registration } = document
  return {
    issuer: String(document.issuer),
    authorizationEndpoint: url('authorization_endpoint'),
    tokenEndpoint,
    registrationEndpoint: isUrl(registration) && isReachable(registration) ? registration : undefined,
    supportsMetadataDocuments: document.client_id_metadata_document_supported === true,
    scopes: stringsIn(document.scopes_supported),
    sendsIssuer: document.authorization_response_iss_parameter_supported === true,
  }
}

/** Fetches the metadata from the first URL that has it (specification, Authorization Server Metadata Discovery). */
async function discover(issuer: string): Promise<Document> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
  for (const url of urls) {
    const { ok, body } = await fetchJson(url)
    if (!ok || typeof body.issuer !== 'string') continue
    // Metadata of a different issuer could redirect authorization codes to an attacker.
    if (body.issuer.replace(/\/$/, '') === issuer.replace(/\/$/, '')) return body
    throw new Error(`Expected ${url} to be the metadata of ${issuer}, got that of ${body.issuer}.`)
  }
  throw new Error(`${new URL(issuer).host} has no metadata: expected it at ${urls.join(' or ')}.`)
}

/** Whether a value is an https URL, or http on loopback. */
function isUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
