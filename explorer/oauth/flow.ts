/** Authorization code flow with PKCE: redirects to the authorization server and handles the way back (OAuth 2.1, 4.1). */

import { clientFor } from './client.js'
import { errorText, fetchJson } from './fetching.js'
import { type Grant, parseGrant } from './grant.js'
import { type ResourceMetadata, readServer } from './metadata.js'

/** The state of a sign-in, kept in this tab's session storage. It's worthless without the authorization code. */
interface Pending {
  readonly state: string
  readonly verifier: string
  readonly issuer: string
  readonly sendsIssuer: boolean
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** The fragment of the page's URL, to show the same item afterwards. */
  readonly hash: string
}

const key = 'mcp-router explorer sign-in'

export interface SignInOptions {
  readonly resourceMetadata: ResourceMetadata
  readonly issuer: string
  /** The client id that the user entered, or empty. */
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** Leaves the page for the authorization server. @throws Error with a message for the user */
export async function startSignIn({
  resourceMetadata,
  issuer,
  clientId,
  scopes,
}: SignInOptions): Promise<void> {
  if (!isSecureContext) throw new Error('Signing in needs https or localhost.')
  const server = await readServer(issuer, resourceMetadata)
  const client = await clientFor(server, clientId)
  // With this scope, the server may issue a refresh token (OpenID Connect Core, section 11).
  const offline = server.scopes.includes('offline_access')
  const requested = [...new Set([...scopes, ...(offline ? ['offline_access'] : [])])]
  const pending: Pending = {
    state: random(),
    verifier: random(),
    issuer: server.issuer,
    sendsIssuer: server.sendsIssuer,
    tokenEndpoint: server.tokenEndpoint,
    clientId: client.id,
    redirectUri: client.redirectUri,
    resource: resourceMetadata.resource,
    scopes,
    hash: location.hash,
  }
  sessionStorage.setItem(key, JSON.stringify(pending))
  const url = new URL(server.authorizationEndpoint)
  const query = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    state: pending.state,
    code_challenge: await codeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    resource: resourceMetadata.resource,
    ...(requested.length > 0 && { scope: requested.join(' ') }),
    ...(offline && { prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  location.assign(url)
}

/**
 * Finishes a sign-in after the redirect back to this page. Removes the parameters of the authorization server from the
 * URL and the history first. Returns `undefined` if the URL has none.
 */
export function finishSignIn(): Promise<Grant> | undefined {
  const answer = new URLSearchParams(location.search)
  if (!answer.has('code') && !answer.has('error')) return undefined
  const stored = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  const pending = stored === null ? undefined : (JSON.parse(stored) as Pending)
  history.replaceState(undefined, '', location.pathname + (pending?.hash ?? ''))
  return exchangeCode(answer, pending)
}

async function exchangeCode(answer: URLSearchParams, pending: Pending | undefined): Promise<Grant> {
  if (pending === undefined || answer.get('state') !== pending.state)
    throw new Error(
      'The redirect belongs to a sign-in that this page did not start, so it was ignored. Sign in again.',
    )
  // Protects against the response of a different authorization server (RFC 9207).
  const iss = answer.get('iss')
  if (iss === null ? pending.sendsIssuer : iss !== pending.issuer)
    throw new Error(
      `Expected a response of ${pending.issuer}, got one of ${iss ?? 'an unnamed issuer'}, so it was ignored.`,
    )
  const { host } = new URL(pending.issuer)
  const code = answer.get('code')
  if (code === null) {
    const oauthError = { error: answer.get('error'), error_description: answer.get('error_description') }
    throw new Error(`${host} refused the sign-in: ${errorText(oauthError, 'it gave no reason')}`)
  }
  const { ok, status, body } = await fetchJson(pending.tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: pending.verifier,
      client_id: pending.clientId,
      redirect_uri: pending.redirectUri,
      resource: pending.resource,
    }),
  })
  const grant = ok ? parseGrant(body, pending) : undefined
  if (grant === undefined)
    throw new Error(`${host} issued no token: ${errorText(body, `it responded with ${status}`)}`)
  return grant
}

function random(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

/** Returns the code challenge of a verifier (RFC 7636, section 4.2). */
async function codeChallenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return toBase64Url(new Uint8Array(digest))
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
