/** Gets a prompt: find it, check the arguments, run it, shape its messages. */

import { assertAllowed, invoke, isVisible } from '../calls/invoke.js'
import { isContentBlock, text } from '../content/blocks.js'
import { type OnInvalid, sendableBlock, warnOnce } from '../content/members.js'
import type { Handler, PromptEntry } from '../definitions/entries.js'
import type { PromptMessageInput, PromptReturn } from '../definitions/options.js'
import type { CatalogItem } from '../definitions/registry.js'
import { assertJson, ServerFault, throwReturned } from '../errors/assert-json.js'
import type { Identity } from '../protocol/identity.js'
import { invalidParams, stringParam, stringsParam } from '../protocol/params.js'
import { toRevisionPromptResult } from '../protocol/to-revision.js'
import type { GetPromptResult, PromptMessage } from '../protocol/types.js'
import { describeIssues } from '../schema/index.js'
import { describe, isObject } from '../support/values.js'
import { asProtocolError } from '../tracing/error-report.js'
import type { MethodExchange } from './services.js'

/** Failures are JSON-RPC errors, always. */
export async function getPrompt(exchange: MethodExchange): Promise<{ result: GetPromptResult }> {
  const name = stringParam(exchange.params, 'name')
  const args = stringsParam(exchange.params, 'arguments')
  const served = exchange.services.registry.catalog().prompt.byKey.get(name)
  const identity = await exchange.resolveCaller()
  if (served === undefined || !isVisible(served.entry, exchange, identity)) {
    throw invalidParams(`there is no prompt ${describe(name)}`, { name })
  }
  assertAllowed(served.entry, exchange, identity)
  const result = await runPrompt(served, exchange, identity, args)
  return { result: toRevisionPromptResult(result, exchange.revision) }
}

async function runPrompt(
  served: CatalogItem<PromptEntry>,
  exchange: MethodExchange,
  identity: Identity,
  args: Record<string, string>,
): Promise<GetPromptResult> {
  const { entry, name } = served
  const owner = `prompt "${name}"`
  return asProtocolError(exchange, { owner }, async () => {
    const checked = await exchange.withTimeout(owner, entry.timeoutMs, entry.input.check(args))
    if (checked.issues !== undefined) throw invalidParams(describeIssues(checked.issues))
    const call = { item: served, exchange, identity, name, input: checked.value }
    const value = await invoke(call, entry.options.handler as Handler)
    const messages = toMessages(value as PromptReturn, (message) =>
      warnOnce(exchange.services.log, owner, `${owner}: left out ${message}`),
    )
    const { description } = entry.options
    return { ...(typeof description === 'string' && { description }), messages }
  })
}

function toMessages(value: PromptReturn, onInvalid: OnInvalid): PromptMessage[] {
  throwReturned(value)
  if (typeof value === 'string') return [{ role: 'user', content: text(value) }]
  const list = Array.isArray(value) ? (value as readonly PromptMessageInput[]) : [value as PromptMessageInput]
  const messages = list.map((message) => toMessage(message, onInvalid))
  assertJson(messages)
  return messages
}

function toMessage(message: unknown, onInvalid: OnInvalid): PromptMessage {
  if (isObject(message) && (message.role === 'user' || message.role === 'assistant')) {
    const { role, content } = message
    if (typeof content === 'string') return { role, content: text(content) }
    if (isContentBlock(content)) return { role, content: sendableBlock(content, onInvalid) }
  }
  throw new ServerFault(
    `expected a string or messages { role: 'user' | 'assistant', content: string or one content block }, got ${describe(message)}`,
  )
}
