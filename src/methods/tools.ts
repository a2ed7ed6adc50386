/** Calls a tool: find it, check the arguments, run it, shape the result. */

import { gate, invoke, isVisible } from '../call.js'
import type { Identity } from '../context.js'
import type { Handler, ToolEntry } from '../definitions/entries.js'
import type { Served } from '../definitions/registry.js'
import { InvalidParamsError } from '../errors.js'
import type { Exchange } from '../exchange.js'
import { report, toProtocolError } from '../failures/report.js'
import { describe } from '../protocol/jsonrpc.js'
import { checkMirroredParameters } from '../protocol/mirrors.js'
import { isObjectSchema, projectToolResult } from '../protocol/project.js'
import type { Revision } from '../protocol/revisions.js'
import type { CallToolResult, Result } from '../protocol/types.js'
import { errorResult, shapeResult } from '../results/result.js'
import { describeIssues, type Issue } from '../schema/index.js'
import { runAsTask } from '../tasks/run-as-task.js'
import { type Task, toExtensionTask, toLegacyTask } from '../tasks/task.js'
import { taskMode } from '../tasks/task-mode.js'
import { isThenable } from '../thenable.js'
import { invalidParams, objectParam, stringParam } from './params.js'

/** Failures that the model can mend are results with `isError`; the rest is thrown as a JSON-RPC error. */
export async function callTool(exchange: Exchange): Promise<{ result: CallToolResult | Result }> {
  const asked = {
    name: stringParam(exchange.params, 'name'),
    args: objectParam(exchange.params, 'arguments'),
  }
  const { name, args } = exchange.core.toolSearch?.unwrap(asked.name, asked.args) ?? asked
  const served = exchange.core.registry.catalog().tool.byKey.get(name)
  const known = exchange.identify()
  // Here and below: to await what is there already costs promises.
  const identity = isThenable(known) ? await known : known
  if (served === undefined || !isVisible(served.entry, exchange, identity)) {
    throw invalidParams(`there is no tool ${describe(name)}`, { name })
  }
  const { entry } = served
  const { headers } = exchange.peer
  // What `call_tool` calls has no headers of its own.
  if (headers !== undefined && exchange.revision.era === 'modern' && name === asked.name) {
    checkMirroredParameters(entry.mirrored, args, headers)
  }
  gate(entry, exchange, identity)
  const mode =
    entry.task === undefined && exchange.params.task === undefined ? undefined : taskMode(exchange, served)
  const run = (begin?: () => Promise<void>): Promise<CallToolResult> =>
    resultOf(served, exchange, identity, { args, begin })
  if (mode === undefined) return { result: await run() }
  const began = await runAsTask(exchange, { about: mode, args, run })
  return { result: 'task' in began ? toCreated(began.task, exchange.revision) : began.result }
}

/** The answer to a call that became a task. */
function toCreated(task: Task, { tasks }: Revision): Result {
  return tasks === 'core' ? { task: toLegacyTask(task) } : { ...toExtensionTask(task), resultType: 'task' }
}

interface ToolRun {
  readonly args: Readonly<Record<string, unknown>>
  /** Called when everything before the handler has agreed. */
  readonly begin?: (() => Promise<void>) | undefined
}

/** What a tool comes to, as the client's revision has it. */
export async function resultOf(
  served: Served<ToolEntry>,
  exchange: Exchange,
  identity: Identity,
  about: ToolRun,
): Promise<CallToolResult> {
  const { output } = served.entry
  const wrapped = output !== undefined && !isObjectSchema(output.json)
  return projectToolResult(await runTool(served, exchange, identity, about), exchange.revision, wrapped)
}

async function runTool(
  served: Served<ToolEntry>,
  exchange: Exchange,
  identity: Identity,
  { args, begin }: ToolRun,
): Promise<CallToolResult> {
  const { entry, name } = served
  const owner = `tool "${name}"`
  try {
    const checking = exchange.settle(owner, entry.timeoutMs, () => entry.input.check(args))
    const checked = isThenable(checking) ? await checking : checking
    // Revision 2025-11-25, Tools: for the model to mend, so a result and no protocol error.
    if (checked.issues !== undefined) throw invalidArguments(owner, checked.issues)
    const call = { served, exchange, identity, name, input: checked.value, begin }
    const value = await invoke(call, entry.options.handler as Handler)
    const shaped = exchange.settle(owner, entry.timeoutMs, () => shapeResult(value, entry.output))
    return isThenable(shaped) ? await shaped : shaped
  } catch (error) {
    if (exchange.isEnding(error)) throw error
    const reported = report(exchange, error, { owner })
    if (reported.failure.protocol) throw toProtocolError(reported)
    return errorResult(reported.message)
  }
}

function invalidArguments(owner: string, issues: readonly Issue[]): InvalidParamsError {
  return new InvalidParamsError(`Invalid arguments for ${owner}: ${describeIssues(issues)}`)
}
