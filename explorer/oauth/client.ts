/** Gets the page's client id: one that the user enters, the URL of its metadata document, or dynamic registration. */

import { type Document, errorText, fetchJson } from './fetching.js'
import { type AuthorizationServer, isLoopback } from './metadata.js'

export interface OAuthClient {
  readonly id: string
  readonly redirectUri: string
}

/** The page's Client ID Metadata Document, from our own server. */
const documentUrl = new URL('client.json', import.meta.url).href

/** Returns the client. `given`: the client id that the user entered, or empty. @throws Error with a message for the user */
export async function clientFor(server: AuthorizationServer, given: string): Promise<OAuthClient> {
  const { client_id: own, ...metadata } = await readClientDocument()
  const [redirectUri] = metadata.redirect_uris as readonly string[]
  if (redirectUri === undefined)
    throw new Error("The server's client metadata of this page has no redirect URI.")
  const id = given !== '' ? given : await clientIdFor(server, { own, metadata, redirectUri })
  return { id, redirectUri }
}

async function readClientDocument(): Promise<Document & { readonly redirect_uris: unknown }> {
  const response = await fetch(documentUrl)
  const document = (await response.json()) as Document
  if (!response.ok || !Array.isArray(document.redirect_uris))
    throw new Error('The server has no client metadata of this page.')
  return { ...document, redirect_uris: document.redirect_uris }
}

interface ClientDocument {
  readonly own: unknown
  readonly metadata: Document
  readonly redirectUri: string
}

async function clientIdFor(
  server: AuthorizationServer,
  { own, metadata, redirectUri }: ClientDocument,
): Promise<string> {
  // An authorization server can't fetch a document from the user's machine.
  const isPublic = location.protocol === 'https:' && !isLoopback(location.hostname)
  if (server.supportsMetadataDocuments && isPublic && own === documentUrl) return documentUrl
  const { host } = new URL(server.issuer)
  if (server.registrationEndpoint === undefined) {
    throw new Error(
      `${host} does not support dynamic client registration. Register this page there as a public client with the redirect URI ${redirectUri}, and enter its client id below.`,
    )
  }
  const { ok, status, body } = await fetchJson(server.registrationEndpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  })
  if (!ok || typeof body.client_id !== 'string')
    throw new Error(`${host} did not register this page: ${errorText(body, `it responded with ${status}`)}`)
  return body.client_id
}
