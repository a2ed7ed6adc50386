/** Completes one argument of a prompt or one variable of a template. */

import { assertAllowed, invoke, isVisible } from '../calls/invoke.js'
import type { PromptEntry, TemplateEntry } from '../definitions/entries.js'
import type { CatalogItem } from '../definitions/registry.js'
import type { Identity } from '../protocol/identity.js'
import { invalidParams, objectParam, stringParam, stringsParam } from '../protocol/params.js'
import type { CompleteResult } from '../protocol/types.js'
import { describe } from '../support/values.js'
import { asProtocolError } from '../tracing/error-report.js'
import type { MethodExchange } from './services.js'

/** Specification, completion: at most this many values travel. */
const most = 100

export async function complete(exchange: MethodExchange): Promise<{ result: CompleteResult }> {
  const argument = objectParam(exchange.params, 'argument')
  const name = stringParam(argument, 'name')
  const typed = stringParam(argument, 'value')
  const chosen = stringsParam(objectParam(exchange.params, 'context'), 'arguments')
  const identity = await exchange.resolveCaller()
  const served = find(exchange, identity)
  if (served === undefined) throw unknownRef(exchange)
  const { entry } = served
  assertAllowed(entry, exchange, identity)
  if (!argumentsOf(entry).includes(name)) {
    throw invalidParams(`${entry.kind} "${entry.name}" has no argument ${describe(name)}`)
  }
  const completer = entry.complete[name]
  if (completer === undefined) return { result: { completion: { values: [] } } }
  const owner = `completion of ${entry.kind} "${served.key}"`
  return asProtocolError(exchange, { owner }, async () => {
    const call = { item: served, exchange, identity, name: served.key, input: { [name]: typed } }
    const values = await invoke(call, (_input, ctx) => completer(typed, { arguments: chosen }, ctx))
    return { result: toResult(values) }
  })
}

/** Returns the first match that is visible to the caller, in the order that reading uses. */
function find(
  exchange: MethodExchange,
  identity: Identity,
): CatalogItem<PromptEntry | TemplateEntry> | undefined {
  return candidates(exchange).find(({ entry }) => isVisible(entry, exchange, identity))
}

function candidates(exchange: MethodExchange): readonly CatalogItem<PromptEntry | TemplateEntry>[] {
  const ref = objectParam(exchange.params, 'ref')
  const { prompt, template } = exchange.services.registry.catalog()
  if (ref.type === 'ref/prompt')
    return [prompt.byKey.get(stringParam(ref, 'name'))].filter((one) => one !== undefined)
  if (ref.type !== 'ref/resource') {
    throw invalidParams(`expected ref.type to be "ref/prompt" or "ref/resource", got ${describe(ref.type)}`)
  }
  const uri = stringParam(ref, 'uri')
  const named = template.byKey.get(uri)
  return named === undefined
    ? template.items.filter(({ entry }) => entry.template.match(uri) !== undefined)
    : [named]
}

function unknownRef({ params }: MethodExchange): Error {
  const { type, name, uri } = objectParam(params, 'ref')
  const came = type === 'ref/prompt' ? `the prompt ${describe(name)}` : `the template ${describe(uri)}`
  return invalidParams(`expected ref to name something that this server has, got ${came}`)
}

function argumentsOf(entry: PromptEntry | TemplateEntry): readonly string[] {
  if (entry.kind === 'template') return entry.template.variables.map((variable) => variable.name)
  return (
    (entry.listed.arguments as readonly { name: string }[] | undefined)?.map((argument) => argument.name) ??
    []
  )
}

function toResult(value: unknown): CompleteResult {
  if (!Array.isArray(value))
    throw new TypeError(`expected \`complete\` to return an array of strings, got ${describe(value)}`)
  const found = value.filter((one) => one !== undefined && one !== null)
  const values = found.slice(0, most).map(String)
  return { completion: { values, total: found.length, hasMore: found.length > most } }
}
