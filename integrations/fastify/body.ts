/** The content type parser of our own scope: the app's parsers neither apply there nor change. */

import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { RequestBody } from '../../src/adapter.js'
import { readStream } from '../node/request.js'

/** On the request itself: a map of weak keys for every request costs the collector more than the rest of a call. */
const outcomeKey: unique symbol = Symbol('mcp-router.body')

type Done = (error: Error | null, body?: unknown) => void

type Read = FastifyRequest & { [outcomeKey]?: RequestBody }

/**
 * Never fails over what a client sent: hooks of the app come after the parser, and a login among them answers first.
 * What became of the body is told when it is asked for.
 */
export class BodyParser {
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** `request.body`, for hooks of the app: the parsed JSON, else the text. Fails with the error of a decompressor. */
  parse = (request: FastifyRequest, payload: Readable, done: Done): void => {
    // Everything else is refused for its method or type alone.
    if (request.method !== 'POST' || !/json/i.test(request.headers['content-type'] ?? '')) {
      done(null)
      return
    }
    const take = (body: RequestBody): void => {
      const outcome = body.kind === 'text' ? parsed(body) : body
      ;(request as Read)[outcomeKey] = outcome
      if (outcome.kind === 'parsed') done(null, outcome.value)
      else done(null, outcome.kind === 'text' ? outcome.text : undefined)
    }
    const body = this.#read(request, payload)
    if (body instanceof Promise) body.then(take, done)
    else take(body)
  }

  outcomeOf = (request: FastifyRequest): RequestBody => {
    const outcome = (request as Read)[outcomeKey] ?? { kind: 'text', text: '' }
    // A hook of the app may have put something else in its place.
    return outcome.kind === 'parsed' ? { kind: 'parsed', value: request.body } : outcome
  }

  #read(request: FastifyRequest, payload: Readable): RequestBody | Promise<RequestBody> {
    const encoding = request.headers['content-encoding']
    const isRaw = payload === request.raw
    if (isRaw && encoding !== undefined && encoding !== 'identity') return { kind: 'encoded', encoding }
    if (payload.readableEnded) return { kind: 'gone' }
    const failure = isRaw ? undefined : firstError(payload)
    const reading = readStream(payload, this.#maxBytes)
    // Decompressors come paused.
    payload.resume()
    return failure === undefined ? reading : decompressed(payload, failure, reading)
  }
}

async function decompressed(
  payload: Readable,
  failure: Failure,
  reading: Promise<RequestBody>,
): Promise<RequestBody> {
  const body = await reading
  // What is left of a body that grows without end is not decompressed.
  if (body.kind === 'tooLarge') payload.destroy()
  if (body.kind === 'broken' && failure.error !== undefined) throw failure.error
  return body
}

/** Text that is no JSON stays text, and is refused after the hooks of the app. */
function parsed(body: RequestBody & { kind: 'text' }): RequestBody {
  try {
    return { kind: 'parsed', value: JSON.parse(body.text) }
  } catch {
    return body
  }
}

interface Failure {
  error?: unknown
}

function firstError(payload: Readable): Failure {
  const failure: Failure = {}
  payload.once('error', (error) => {
    failure.error = error
  })
  return failure
}
