/** Who the page is to an authorization server: an id that it was given, its own document, or one that it registers. */

import { ask, type Document, refusalIn } from './fetching.js'
import { type AuthorizationServer, isLoopback } from './metadata.js'

export interface OAuthClient {
  readonly id: string
  /** Where people come back to. */
  readonly redirectUri: string
}

/** What our own server says of this page. */
const documentUrl = new URL('client.json', import.meta.url).href

/** `given`: by whoever runs the authorization server; empty: nobody gave one. @throws in words for people */
export async function clientFor(server: AuthorizationServer, given: string): Promise<OAuthClient> {
  const { client_id: own, ...metadata } = await readOwn()
  const [redirectUri] = metadata.redirect_uris as readonly string[]
  if (redirectUri === undefined) throw new Error('The server does not say where people come back to.')
  const id = given !== '' ? given : await idAt(server, { own, metadata, redirectUri })
  return { id, redirectUri }
}

async function readOwn(): Promise<Document & { readonly redirect_uris: unknown }> {
  const response = await fetch(documentUrl)
  const document = (await response.json()) as Document
  if (!response.ok || !Array.isArray(document.redirect_uris))
    throw new Error('The server has no description of this page as a client.')
  return { ...document, redirect_uris: document.redirect_uris }
}

interface Own {
  readonly own: unknown
  readonly metadata: Document
  readonly redirectUri: string
}

async function idAt(server: AuthorizationServer, { own, metadata, redirectUri }: Own): Promise<string> {
  // Nobody fetches a document from somebody's own machine.
  const isPublic = location.protocol === 'https:' && !isLoopback(location.hostname)
  if (server.takesDocuments && isPublic && own === documentUrl) return documentUrl
  const { host } = new URL(server.issuer)
  if (server.registrationEndpoint === undefined) {
    throw new Error(
      `${host} registers no clients by itself. Register this page there, as a public client that comes back to ${redirectUri}, and give its client id below.`,
    )
  }
  const { ok, status, body } = await ask(server.registrationEndpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  })
  if (!ok || typeof body.client_id !== 'string')
    throw new Error(`${host} does not register this page: ${refusalIn(body, `it answers ${status}`)}`)
  return body.client_id
}
