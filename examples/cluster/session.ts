/** A hand-written client with a session before 2026-07-28, so that each request can go to a chosen machine. */

// biome-ignore lint/suspicious/noExplicitAny: messages of any shape
type Message = any

const version = '2025-11-25'

export interface Stream {
  readonly lastEventId: string | undefined
  /** Returns the next message. */
  next(): Promise<Message>
  /** Returns the response to a request, and skips messages before it. */
  answerTo(id: unknown): Promise<Message>
  /** Whether the stream ends without a response. */
  ends(): Promise<boolean>
  leave(): void
}

export type Session = Awaited<ReturnType<typeof legacySession>>

export async function legacySession(url: string) {
  const hello = {
    protocolVersion: version,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'hand', version: '1' },
  }
  const opened = await post(url, {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello })
  await opened.text()
  const headers = {
    'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '',
    'MCP-Protocol-Version': version,
  }
  const send = (message: object, at = url): Promise<Response> =>
    post(at, headers, { jsonrpc: '2.0', ...message })
  let id = 100
  return {
    async request(method: string, params: object, at?: string): Promise<Message> {
      const answer = await send({ id: id++, method, params }, at)
      return answer.headers.get('content-type')?.startsWith('text/event-stream')
        ? streamOf(answer).answerTo(id - 1)
        : answer.json()
    },
    notify: async (method: string, params: object, at?: string) => void (await send({ method, params }, at)),
    answer: async (of: unknown, result: object, at?: string) => void (await send({ id: of, result }, at)),
    /** Starts a call whose response is a stream. */
    open: async (params: object, at: string, as: unknown = id++): Promise<Stream> =>
      streamOf(
        await send({ id: as, method: 'tools/call', params: { ...params, _meta: { progressToken: as } } }, at),
      ),
    /** Opens the stream on which a task asks for input and ends. */
    openTask: async (taskId: string, at: string): Promise<Stream> =>
      streamOf(await send({ id: id++, method: 'tasks/result', params: { taskId } }, at)),
    async listen(at: string, after?: string): Promise<Stream> {
      const last = after === undefined ? {} : { 'Last-Event-ID': after }
      return streamOf(await fetch(at, { headers: { ...headers, ...last, Accept: 'text/event-stream' } }))
    },
    end: async (at: string) => void (await fetch(at, { method: 'DELETE', headers })),
    async status(at: string): Promise<number> {
      let status = 0
      // A call doesn't wait for the store, so other machines may learn of the end a moment later.
      for (let tries = 0; tries < 50 && status !== 404; tries++)
        status = (await send({ id: 1, method: 'ping' }, at)).status
      return status
    },
  }
}

function post(url: string, headers: Record<string, string>, body: object): Promise<Response> {
  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  return fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
}

function streamOf(answer: Response): Stream {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let lastEventId: string | undefined
  const event = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        return block
      }
      const { done = true, value } = (await reader?.read()) ?? {}
      if (done) return undefined
      text += value
    }
  }
  const message = async (): Promise<Message | undefined> => {
    for (let block = await event(); block !== undefined; block = await event()) {
      lastEventId = /^id: ?(.*)$/m.exec(block)?.[1] ?? lastEventId
      const data = /^data: ?(.+)$/m.exec(block)?.[1]
      if (data !== undefined) return JSON.parse(data)
    }
    return undefined
  }
  return {
    get lastEventId() {
      return lastEventId
    },
    next: message,
    async answerTo(id) {
      for (let one = await message(); one !== undefined; one = await message()) if (one.id === id) return one
      throw new Error('the stream ended without the answer')
    },
    async ends() {
      for (let one = await message(); one !== undefined; one = await message())
        if ('result' in one) return false
      return true
    },
    leave: () => void reader?.cancel().catch(() => {}),
  }
}
