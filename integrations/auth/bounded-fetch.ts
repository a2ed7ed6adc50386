/** HTTP requests to the authorization server: no redirects, and responses of limited size. */

const maxBytes = 512 * 1024

/** The server responded, but its response can't be used. */
export class UnusableResponse extends Error {
  /** The status of the response, if it's the reason. */
  readonly httpStatus: number | undefined

  constructor(url: string, reason: string, status?: number) {
    super(`${url}: ${reason}`)
    this.httpStatus = status
  }
}

/**
 * Fetches the body of a 200 response. Redirects aren't followed, because keys must come from the configured address, and
 * tokens must go nowhere else.
 * @throws UnusableResponse for any other status, and for a body of more than 512 KiB. If no response comes, it rejects as
 * `fetch` does.
 */
export async function fetchText(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new UnusableResponse(url, `expected status 200, got ${response.status}`, response.status)
  }
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new UnusableResponse(url, `expected at most ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Fetches the JSON object of a 200 response. @throws UnusableResponse for any other response. */
export async function fetchJson(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const value = parse(await fetchText(url, init))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnusableResponse(url, 'expected a JSON object')
  }
  return value as Record<string, unknown>
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
