/** The content type parser of the plugin's own scope. The app's parsers don't apply there, and aren't changed. */

import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { RequestBody } from '../../src/adapter.js'
import { readStream } from '../node/request.js'

/** Stored on the request: an entry in a WeakMap per request costs more garbage collection than the rest of a call. */
const outcomeKey: unique symbol = Symbol('mcp-router.body')

type ParserCallback = (error: Error | null, body?: unknown) => void

type ParsedRequest = FastifyRequest & { [outcomeKey]?: RequestBody }

/**
 * Reads and parses bodies. Never fails because of the client's data, so that the app's hooks, which run after the
 * parser, can respond first, for example a login. `outcomeOf` returns the result later.
 */
export class BodyParser {
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Sets `request.body` for the app's hooks: the parsed JSON, else the text. Fails only with a decompressor's error.
   */
  parse = (request: FastifyRequest, payload: Readable, done: ParserCallback): void => {
    // All other requests are refused because of their method or type, so the body isn't needed.
    if (request.method !== 'POST' || !/json/i.test(request.headers['content-type'] ?? '')) {
      done(null)
      return
    }
    const store = (body: RequestBody): void => {
      const outcome = body.kind === 'text' ? parseJson(body) : body
      ;(request as ParsedRequest)[outcomeKey] = outcome
      if (outcome.kind === 'parsed') done(null, outcome.value)
      else done(null, outcome.kind === 'text' ? outcome.text : undefined)
    }
    const body = this.#read(request, payload)
    if (body instanceof Promise) body.then(store, done)
    else store(body)
  }

  outcomeOf = (request: FastifyRequest): RequestBody => {
    const outcome = (request as ParsedRequest)[outcomeKey] ?? { kind: 'text', text: '' }
    // A hook of the app may have replaced `request.body`.
    return outcome.kind === 'parsed' ? { kind: 'parsed', value: request.body } : outcome
  }

  #read(request: FastifyRequest, payload: Readable): RequestBody | Promise<RequestBody> {
    const encoding = request.headers['content-encoding']
    const isRaw = payload === request.raw
    if (isRaw && encoding !== undefined && encoding !== 'identity') return { kind: 'encoded', encoding }
    if (payload.readableEnded) return { kind: 'gone' }
    const failure = isRaw ? undefined : captureError(payload)
    const reading = readStream(payload, this.#maxBytes)
    // Decompression streams start paused.
    payload.resume()
    return failure === undefined ? reading : awaitDecompressed(payload, failure, reading)
  }
}

async function awaitDecompressed(
  payload: Readable,
  failure: Failure,
  reading: Promise<RequestBody>,
): Promise<RequestBody> {
  const body = await reading
  // Stop decompressing, because the body may expand without end.
  if (body.kind === 'tooLarge') payload.destroy()
  if (body.kind === 'broken' && failure.error !== undefined) throw failure.error
  return body
}

/** Parses a body. Invalid JSON stays text, and is refused after the app's hooks. */
function parseJson(body: RequestBody & { kind: 'text' }): RequestBody {
  try {
    return { kind: 'parsed', value: JSON.parse(body.text) }
  } catch {
    return body
  }
}

interface Failure {
  error?: unknown
}

function captureError(payload: Readable): Failure {
  const failure: Failure = {}
  payload.once('error', (error) => {
    failure.error = error
  })
  return failure
}
