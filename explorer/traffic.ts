/** What travels between page and server, as it travels. */

export interface Exchange {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly startedAt: number
  /** All of it is filled in as it arrives. */
  readonly answer: {
    status: number | undefined
    headers: Readonly<Record<string, string>>
    text: string
    /** Milliseconds. */
    took: number | undefined
  }
}

/** What is kept of one answer. */
const longest = 2_000_000

let ids = 0

/** `fetch` that tells of what it does: when a request goes out, with each piece that comes in, and at the end. */
export function watched(tell: (exchange: Exchange) => void): typeof fetch {
  return async (input, init = {}) => {
    const started = performance.now()
    ids += 1
    const exchange: Exchange = {
      id: ids,
      method: init.method ?? 'GET',
      url: String(input),
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === 'string' ? init.body : '',
      startedAt: Date.now(),
      answer: { status: undefined, headers: {}, text: '', took: undefined },
    }
    tell(exchange)
    const { answer } = exchange
    try {
      const response = await fetch(input, init)
      answer.status = response.status
      answer.headers = Object.fromEntries(response.headers)
      void read(response.clone(), (text) => {
        if (answer.text.length < longest) answer.text += text
        answer.took = performance.now() - started
        tell(exchange)
      })
      return response
    } catch (error) {
      answer.took = performance.now() - started
      tell(exchange)
      throw error
    }
  }
}

async function read(response: Response, take: (text: string) => void): Promise<void> {
  take('')
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const piece = await reader?.read()
      if (piece?.value === undefined) return
      take(decoder.decode(piece.value, { stream: true }))
    }
  } catch {
    // It was cancelled; what came is shown.
  }
}
