/** Records the HTTP requests and responses between page and server. */

export interface Exchange {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly startedAt: number
  /** Filled in as the response arrives. */
  readonly answer: {
    status: number | undefined
    headers: Readonly<Record<string, string>>
    text: string
    /** Milliseconds. */
    took: number | undefined
  }
}

/** How much of one response is kept. Characters. */
const maxTextLength = 2_000_000

let ids = 0

/** Returns a `fetch` that reports each request when it is sent, at each chunk of the response, and at its end. */
export function recordingFetch(report: (exchange: Exchange) => void): typeof fetch {
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
    report(exchange)
    const { answer } = exchange
    try {
      const response = await fetch(input, init)
      answer.status = response.status
      answer.headers = Object.fromEntries(response.headers)
      void read(response.clone(), (text) => {
        if (answer.text.length < maxTextLength) answer.text += text
        answer.took = performance.now() - started
        report(exchange)
      })
      return response
    } catch (error) {
      answer.took = performance.now() - started
      report(exchange)
      throw error
    }
  }
}

async function read(response: Response, onText: (text: string) => void): Promise<void> {
  onText('')
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const chunk = await reader?.read()
      if (chunk?.value === undefined) return
      onText(decoder.decode(chunk.value, { stream: true }))
    }
  } catch {
    // The request was cancelled. The page shows what arrived before.
  }
}
