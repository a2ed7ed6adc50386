/** Authorization code with PKCE: away to the authorization server, and back to this page (OAuth 2.1, section 4.1). */

import { clientFor } from './client.js'
import { ask, refusalIn } from './fetching.js'
import { type Grant, grantIn } from './grant.js'
import { type Offer, readServer } from './metadata.js'

/** What is to be remembered while the person is away, by this tab alone. Nothing of it is good without the code. */
interface Pending {
  readonly state: string
  readonly verifier: string
  readonly issuer: string
  readonly namesItself: boolean
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** What the page showed. */
  readonly hash: string
}

const key = 'mcp-router explorer sign-in'

export interface Wanted {
  readonly offer: Offer
  readonly issuer: string
  /** Empty: none was given. */
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** Leaves the page. @throws in words for people */
export async function leave({ offer, issuer, clientId, scopes }: Wanted): Promise<void> {
  if (!isSecureContext)
    throw new Error('Signing in needs https, or a page that was opened on its own machine.')
  const server = await readServer(issuer, offer)
  const client = await clientFor(server, clientId)
  // With it the server may hand out a token that lasts (OpenID Connect Core, section 11).
  const lasting = server.scopes.includes('offline_access')
  const asked = [...new Set([...scopes, ...(lasting ? ['offline_access'] : [])])]
  const pending: Pending = {
    state: random(),
    verifier: random(),
    issuer: server.issuer,
    namesItself: server.namesItself,
    tokenEndpoint: server.tokenEndpoint,
    clientId: client.id,
    redirectUri: client.redirectUri,
    resource: offer.resource,
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
    code_challenge: await challengeOf(pending.verifier),
    code_challenge_method: 'S256',
    resource: offer.resource,
    ...(asked.length > 0 && { scope: asked.join(' ') }),
    ...(lasting && { prompt: 'consent' }),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  location.assign(url)
}

/**
 * Takes what the authorization server sent the person back with out of the address and the history, before anything
 * else happens. `undefined` where nobody comes back.
 */
export function comeBack(): Promise<Grant> | undefined {
  const answer = new URLSearchParams(location.search)
  if (!answer.has('code') && !answer.has('error')) return undefined
  const kept = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  const pending = kept === null ? undefined : (JSON.parse(kept) as Pending)
  history.replaceState(undefined, '', location.pathname + (pending?.hash ?? ''))
  return finish(answer, pending)
}

async function finish(answer: URLSearchParams, pending: Pending | undefined): Promise<Grant> {
  if (pending === undefined || answer.get('state') !== pending.state)
    throw new Error(
      'Somebody came back from a sign-in that this page did not begin; nothing was done with it.',
    )
  // Another server's answer in the place of this one's (RFC 9207).
  const iss = answer.get('iss')
  if (iss === null ? pending.namesItself : iss !== pending.issuer)
    throw new Error(
      `Expected an answer of ${pending.issuer}, got one of ${iss ?? 'nobody'}; nothing was done with it.`,
    )
  const { host } = new URL(pending.issuer)
  const code = answer.get('code')
  if (code === null) {
    const said = { error: answer.get('error'), error_description: answer.get('error_description') }
    throw new Error(`${host} let nobody in: ${refusalIn(said, 'it does not say why')}`)
  }
  const { ok, status, body } = await ask(pending.tokenEndpoint, {
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
  const grant = ok ? grantIn(body, pending) : undefined
  if (grant === undefined)
    throw new Error(`${host} gives no token: ${refusalIn(body, `it answers ${status}`)}`)
  return grant
}

function random(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

/** RFC 7636, section 4.2. */
async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return toBase64Url(new Uint8Array(digest))
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
