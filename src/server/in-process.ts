/** Messages and calls without HTTP: `router.handle()`, `router.call()`, `router.read()`, `router.getPrompt()`. */

import type { AskedOfCaller, Caller } from '../definitions/context.js'
import { brandOf, closingError, ErrorCode, McpError, refusal } from '../errors/errors.js'
import { methodFor } from '../methods/method-table.js'
import { Subscription } from '../notifications/subscription.js'
import { readBatch } from '../protocol/batch.js'
import { errorResponse, type Message, readMessage, response } from '../protocol/jsonrpc.js'
import { newestRevision } from '../protocol/revisions.js'
import type {
  CallToolResult,
  GetPromptResult,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  Params,
  ReadResourceResult,
  RequestId,
  Result,
} from '../protocol/types.js'
import { Exchange } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { scopeOf } from '../sessions/sessions.js'
import { parseJson } from '../support/long-numbers.js'
import { attempt, type Steps } from '../support/maybe-promise.js'
import { PreparedText } from '../support/prepared-json.js'
import { toClientError } from '../tracing/error-report.js'
import { CallerPeer } from './caller-peer.js'
import type { Core } from './core.js'
import { type Answer, acceptNotification, dispatch, serve } from './dispatch.js'

/** The response to one message, if it has one. */
type One = JsonRpcResponse | undefined
/** The response to a message or to a batch. */
type Answers = One | JsonRpcResponse[]

/** Handles a message of `router.handle()`. Never throws or rejects. */
export function handleMessage(core: Core, message: unknown, caller: Caller): Answers | Promise<Answers> {
  const peer = new CallerPeer(core, caller, caller)
  const answer = (): Answers | Promise<Answers> => answerMessage(core, message, peer)
  return peer.connection === undefined ? answer() : peer.connection.carry(message, answer)
}

/** Handles a message of any peer whose responses aren't HTTP responses. Never throws or rejects. */
export function answerMessage(core: Core, message: unknown, peer: Peer): Answers | Promise<Answers> {
  return Array.isArray(message)
    ? handleBatch(core, message, peer)
    : handleOne(core, readMessage(message), peer)
}

async function handleBatch(
  core: Core,
  values: readonly unknown[],
  peer: Peer,
): Promise<JsonRpcResponse | JsonRpcResponse[] | undefined> {
  try {
    const batch = readBatch(values, core.supportedRevisions, peer.negotiated().protocolVersion)
    const answers = await Promise.all(batch.map((part) => handleOne(core, part, peer)))
    const sent = answers.filter((answer) => answer !== undefined)
    return sent.length > 0 ? sent : undefined
  } catch (error) {
    return errorResponse(undefined, toClientError(core, error, 'a batch'))
  }
}

/** The results of the methods that run handlers. */
interface Results {
  readonly tool: CallToolResult
  readonly resource: ReadResourceResult
  readonly prompt: GetPromptResult
}

/** Runs one method in the newest revision, without the envelope of requests. */
export async function runInProcess<K extends keyof Results>(
  core: Core,
  runs: K,
  params: Params,
  caller: Caller,
): Promise<Results[K]> {
  // Without the capability, so that the error names the missing definition instead of the method.
  const [name, { capability: _, ...method }] = methodFor(runs)
  const request = { jsonrpc: '2.0', id: 0, method: name, params } as const
  const envelope = {
    revision: newestRevision,
    client: caller.client ?? (caller.ask && answersEverything),
    logLevel: core.logLevel,
    progressToken: 0,
    sessionId: undefined,
  }
  const peer = new CallerPeer(core, caller, undefined, caller.ask ?? cannotBeAsked)
  try {
    if (core.inFlight.closing) throw closingError()
    const outcome = await serve(new Exchange(core, peer, request, envelope), method)
    return (outcome as { readonly result: Results[K] }).result
  } catch (error) {
    // Without the HTTP hints: rethrown in another call's handler, it must be an ordinary error.
    const { code, message, data } = error as McpError
    throw brandOf(error) === 'mcp' ? new McpError(code, message, data) : error
  }
}

function handleOne(core: Core, message: Message, peer: Peer): One | Promise<One> {
  switch (message.kind) {
    case 'invalid':
      return errorResponse(message.id, message.error)
    case 'response': {
      // Without a session, the caller object is the scope of request ids.
      const scope = scopeOf(peer.negotiated().sessionId, peer.scope) as string | object
      return core.postedAnswers.deliver(scope, message.answer).then(noAnswer, noAnswer)
    }
    case 'notification':
      return void acceptNotification(core, message.notification, peer)
    case 'request':
      return answerRequest(core, message.request, peer)
  }
}

function answerRequest(core: Core, request: JsonRpcRequest, peer: Peer): One | Promise<One> {
  return attempt(answering, { core, request, peer })
}

interface InProcessRequest {
  readonly core: Core
  readonly request: JsonRpcRequest
  readonly peer: Peer
}

const answering: Steps<Answer, One, InProcessRequest> = {
  run({ core, request, peer }) {
    if (core.inFlight.closing) throw closingError()
    return dispatch(core, request, peer)
  },
  next(answer, { core, request, peer }) {
    if (answer instanceof Subscription)
      return holdSubscription(core, { subscription: answer, id: request.id }, peer)
    const isText = answer instanceof PreparedText
    return response(request.id, isText ? (JSON.parse(answer.toString()) as Result) : answer)
  },
  onError: (error, { core, request }) =>
    brandOf(error) === 'abandoned'
      ? undefined
      : errorResponse(request.id, toClientError(core, error, request.method)),
}

/** The capabilities of a caller with `ask`. */
const answersEverything = {
  name: undefined,
  version: undefined,
  capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
}

function cannotBeAsked({ method }: AskedOfCaller): never {
  throw refusal(ErrorCode.InvalidRequest, `${method} needs a caller that can be asked: give it \`ask\``)
}

const noAnswer = (): undefined => undefined

/** Waits for a subscription's end. Resolves to its result, or to nothing once the client disconnected or cancelled. */
export function holdSubscription(
  { inFlight }: Core,
  { subscription, id }: { subscription: Subscription; id: RequestId },
  peer: Peer,
): Promise<JsonRpcResponse | undefined> {
  return new Promise((resolve) => {
    let over = false
    const end = (answer?: JsonRpcResponse): void => {
      over = true
      peer.connection?.release(subscription)
      inFlight.delete(cancellable)
      subscription.stop()
      stopListening?.()
      resolve(answer)
    }
    let stopListening: (() => void) | undefined
    const cancellable = { request: { id }, scope: peer.scope, inFlightIndex: -1, abort: () => end() }
    inFlight.add(cancellable)
    stopListening = peer.onDisconnect(() => end())
    // The client may have disconnected already.
    if (over) return stopListening()
    subscription.start({
      notify: (json) => peer.send(parseJson(json) as JsonRpcNotification),
      finish: (json) => end(JSON.parse(json) as JsonRpcResponse),
    })
    peer.connection?.hold(subscription)
  })
}
