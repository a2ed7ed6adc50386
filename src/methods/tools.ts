/** Calls a tool: find it, check the arguments, run it, shape the result. */

import { assertAllowed, invoke, isVisible } from '../calls/invoke.js'
import { errorResult, shapeResult } from '../content/tool-result.js'
import type { Handler, ToolEntry } from '../definitions/entries.js'
import type { CatalogItem } from '../definitions/registry.js'
import { CannotAskError, InvalidParamsError } from '../errors/errors.js'
import type { Identity } from '../protocol/identity.js'
import { invalidParams, objectParam, stringParam } from '../protocol/params.js'
import { checkHeaderParameters } from '../protocol/request-headers.js'
import type { Revision } from '../protocol/revisions.js'
import { isObjectSchema, toRevisionToolResult } from '../protocol/to-revision.js'
import type { CallToolResult, Result } from '../protocol/types.js'
import { type Checked, describeIssues, type Issue, withHints } from '../schema/index.js'
import { attempt, type Steps, whenReady } from '../support/maybe-promise.js'
import { describe } from '../support/values.js'
import { runAsTask, taskMode } from '../tasks/run-as-task.js'
import { type Task, toExtensionTask, toLegacyTask } from '../tasks/task.js'
import { reportError, toProtocolError } from '../tracing/error-report.js'
import type { MethodExchange } from './services.js'

interface CallToolOutcome {
  readonly result: CallToolResult | Result
}

/** Calls a tool. Failures that the model can correct are results with `isError`; others are thrown as JSON-RPC errors. */
export function callTool(exchange: MethodExchange): CallToolOutcome | Promise<CallToolOutcome> {
  const asked = {
    name: stringParam(exchange.params, 'name'),
    args: objectParam(exchange.params, 'arguments'),
  }
  const call = exchange.services.toolSearch?.unwrap(asked.name, asked.args) ?? asked
  return whenReady(exchange.resolveCaller(), callFor, {
    exchange,
    call,
    isUnwrapped: call.name !== asked.name,
  })
}

interface CallToolInput {
  readonly exchange: MethodExchange
  readonly call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** Called through `call_tool`, so the request has no `Mcp-Param-*` headers for it. */
  readonly isUnwrapped: boolean
}

function callFor(
  identity: Identity,
  { exchange, call, isUnwrapped }: CallToolInput,
): CallToolOutcome | Promise<CallToolOutcome> {
  const served = find(exchange, identity, call.name)
  const { headers } = exchange.peer
  if (headers !== undefined && exchange.revision.era === 'modern' && !isUnwrapped) {
    checkHeaderParameters(served.entry.headerParameters, call.args, headers)
  }
  try {
    assertAllowed(served.entry, exchange, identity)
  } catch (error) {
    if (!(error instanceof CannotAskError)) throw error
    return called(failed(exchange, `tool "${served.name}"`, error))
  }
  return callServed(served, exchange, identity, call.args)
}

function find(exchange: MethodExchange, identity: Identity, name: string): CatalogItem<ToolEntry> {
  const served = exchange.services.registry.catalog().tool.byKey.get(name)
  if (served !== undefined && isVisible(served.entry, exchange, identity)) return served
  throw invalidParams(`there is no tool ${describe(name)}`, { name })
}

function callServed(
  served: CatalogItem<ToolEntry>,
  exchange: MethodExchange,
  identity: Identity,
  args: Readonly<Record<string, unknown>>,
): CallToolOutcome | Promise<CallToolOutcome> {
  if (served.entry.task === undefined && exchange.params.task === undefined)
    return whenReady(resultOf(served, exchange, identity, { args }), called)
  return callWithTask(served, exchange, identity, args)
}

function called(result: CallToolResult): CallToolOutcome {
  return { result }
}

/** Calls a tool that may become a task, or whose client asked for one. */
async function callWithTask(
  served: CatalogItem<ToolEntry>,
  exchange: MethodExchange,
  identity: Identity,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolOutcome> {
  const mode = taskMode(exchange, served)
  const run = async (begin?: () => Promise<void>): Promise<CallToolResult> =>
    resultOf(served, exchange, identity, { args, begin })
  if (mode === undefined) return { result: await run() }
  const began = await runAsTask(exchange, { newTask: mode, args, run })
  return { result: 'task' in began ? toCreated(began.task, exchange.revision) : began.result }
}

/** The answer to a call that became a task. */
function toCreated(task: Task, { tasks }: Revision): Result {
  return tasks === 'core' ? { task: toLegacyTask(task) } : { ...toExtensionTask(task), resultType: 'task' }
}

interface ToolRun {
  readonly args: Readonly<Record<string, unknown>>
  /** Called right before the handler, after all checks and middleware. */
  readonly begin?: (() => Promise<void>) | undefined
}

/** Converts a handler's outcome to the result of the client's revision. */
export function resultOf(
  served: CatalogItem<ToolEntry>,
  exchange: MethodExchange,
  identity: Identity,
  { args, begin }: ToolRun,
): CallToolResult | Promise<CallToolResult> {
  const owner = `tool "${served.name}"`
  return attempt(calling, { item: served, exchange, identity, owner, args, begin })
}

interface ToolCall extends ToolRun {
  readonly item: CatalogItem<ToolEntry>
  readonly exchange: MethodExchange
  readonly identity: Identity
  readonly owner: string
}

const calling: Steps<Checked, CallToolResult, ToolCall> = {
  run({ item: { entry }, exchange, owner, args }) {
    exchange.assertOpen()
    return exchange.withTimeout(owner, entry.timeoutMs, entry.input.check(args))
  },
  next(checked, call) {
    const { item, exchange, identity, begin } = call
    // Revision 2025-11-25, Tools: the model can correct it, so a result and not a protocol error.
    if (checked.issues !== undefined) throw invalidArguments(call, checked.issues)
    const run = { item, exchange, identity, name: item.name, input: checked.value, begin }
    return whenReady(invoke(run, item.entry.options.handler as Handler), shape, call)
  },
  onError: (error, call) => project(failed(call.exchange, call.owner, error), call),
}

function shape(value: unknown, call: ToolCall): CallToolResult | Promise<CallToolResult> {
  const { item, exchange, owner } = call
  const { timeoutMs, output } = item.entry
  return whenReady(
    exchange.withTimeout(owner, timeoutMs, shapeResult(value, output, exchange.services.log, owner)),
    project,
    call,
  )
}

function project(result: CallToolResult, { item, exchange }: ToolCall): CallToolResult {
  const { output } = item.entry
  return toRevisionToolResult(result, exchange.revision, output !== undefined && !isObjectSchema(output.json))
}

function failed(exchange: MethodExchange, owner: string, error: unknown): CallToolResult {
  if (exchange.isEnding(error)) throw error
  const reported = reportError(exchange, error, { owner })
  if (reported.failure.protocol) throw toProtocolError(reported)
  return errorResult(reported.message)
}

function invalidArguments({ owner, item, args }: ToolCall, issues: readonly Issue[]): InvalidParamsError {
  const hinted = withHints(issues, item.entry.input.json, args)
  return new InvalidParamsError(`Invalid arguments for ${owner}: ${describeIssues(hinted)}`)
}
