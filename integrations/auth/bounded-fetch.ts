/** Requests to the authorization server, which may be gone, slow, large or not what it says it is. */

const maxBytes = 512 * 1024

/** The server is there, but what it says is of no use. */
export class UnusableAnswer extends Error {
  /** Its status, where that is why. */
  readonly httpStatus: number | undefined

  constructor(url: string, reason: string, status?: number) {
    super(`${url}: ${reason}`)
    this.httpStatus = status
  }
}

/**
 * The body that comes with a 200. Redirects are not followed: keys, and the tokens that are asked about, belong to the
 * address that was configured.
 * @throws UnusableAnswer for every other status, and for more than 512 KiB; what `fetch` does where nobody answers.
 */
export async function fetchText(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new UnusableAnswer(url, `expected status 200, got ${response.status}`, response.status)
  }
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new UnusableAnswer(url, `expected at most ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The JSON object that comes with a 200. @throws UnusableAnswer for every other answer. */
export async function fetchJson(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const value = parse(await fetchText(url, init))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnusableAnswer(url, 'expected a JSON object')
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
