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
import type { CallToolResult } from '../protocol/types.js'
import { errorResult, shapeResult } from '../results/result.js'
import { describeIssues, type Issue } from '../schema/index.js'
import { invalidParams, objectParam, stringParam } from './params.js'

/** Failures that the model can mend are results with `isError`; the rest is thrown as a JSON-RPC error. */
export async function callTool(exchange: Exchange): Promise<{ result: CallToolResult }> {
  const asked = {
    name: stringParam(exchange.params, 'name'),
    args: objectParam(exchange.params, 'arguments'),
  }
  const { name, args } = exchange.core.toolSearch?.unwrap(asked.name, asked.args) ?? asked
  const served = exchange.core.registry.catalog().tool.byKey.get(name)
  const identity = await exchange.identify()
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
  const result = await runTool(served, exchange, identity, args)
  const wrapped = entry.output !== undefined && !isObjectSchema(entry.output.json)
  return { result: projectToolResult(result, exchange.revision, wrapped) }
}

async function runTool(
  served: Served<ToolEntry>,
  exchange: Exchange,
  identity: Identity,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const { entry, name } = served
  const owner = `tool "${name}"`
  try {
    const checked = await exchange.settle(owner, entry.timeoutMs, () => entry.input.check(args))
    // Revision 2025-11-25, Tools: for the model to mend, so a result and no protocol error.
    if (checked.issues !== undefined) throw invalidArguments(owner, checked.issues)
    const call = { served, exchange, identity, name, input: checked.value }
    const value = await invoke(call, entry.options.handler as Handler)
    return await exchange.settle(owner, entry.timeoutMs, () => shapeResult(value, entry.output))
  } catch (error) {
    if (exchange.abandonedBy(error)) throw error
    const reported = report(exchange, error, { owner })
    if (reported.failure.protocol) throw toProtocolError(reported)
    return errorResult(reported.message)
  }
}

function invalidArguments(owner: string, issues: readonly Issue[]): InvalidParamsError {
  return new InvalidParamsError(`Invalid arguments for ${owner}: ${describeIssues(issues)}`)
}
