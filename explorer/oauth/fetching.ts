/** Asks authorization servers, and says in plain words what keeps the page from it. */

import { isObject } from '../../src/support/values.js'

export type Document = Readonly<Record<string, unknown>>

export interface Answered {
  readonly ok: boolean
  readonly status: number
  /** Empty for what is no JSON object. */
  readonly body: Document
}

/** @throws where nothing can be had from there */
export async function ask(url: string, init: RequestInit = {}): Promise<Answered> {
  const careful = { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' } as const
  const headers = { Accept: 'application/json', ...init.headers }
  let response: Response
  try {
    response = await fetch(url, { ...init, ...careful, headers })
  } catch {
    throw new Error(await whyNot(url, init.method))
  }
  const body: unknown = await response.json().catch(() => undefined)
  return { ok: response.ok, status: response.status, body: isObject(body) ? body : {} }
}

/** Browsers do not tell. What answers when nobody wants to read it is there, and lets no page read. */
async function whyNot(url: string, method = 'GET'): Promise<string> {
  const { host } = new URL(url)
  const isThere = await fetch(url, { mode: 'no-cors', credentials: 'omit' }).then(
    () => true,
    () => false,
  )
  if (!isThere) return `${host} does not answer (${method} ${url}).`
  return (
    `${host} is there, but lets no page of ${location.origin} read its answers: ` +
    `${method} ${url} comes without the CORS header Access-Control-Allow-Origin, or redirects. ` +
    'Whoever runs it can allow that; until then get a token elsewhere and paste it here.'
  )
}

/** OAuth errors in one line; their words are somebody else's. */
export function refusalIn({ error, error_description: why }: Document, fallback: string): string {
  const said = [error, why].filter((part) => typeof part === 'string' && part !== '')
  return said.length === 0 ? fallback : said.join(': ')
}
