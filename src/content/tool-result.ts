/** Converts a tool handler's return value to a `CallToolResult` (docs/definitions.md, "What a tool may return"). */

import { assertJson, ServerFault, throwReturned, toJson } from '../errors/assert-json.js'
import type { CallToolResult, ContentBlock, Meta } from '../protocol/types.js'
import { type Checked, type CompiledSchema, describeIssues } from '../schema/index.js'
import type { Log } from '../support/logger.js'
import { whenReady } from '../support/maybe-promise.js'
import { describe, isObject } from '../support/values.js'
import { isContentBlock, text } from './blocks.js'
import { sendable, sendableBlocks, warnOnce } from './members.js'

const brand: unique symbol = Symbol.for('mcp-router.result')

/** A result made with `result()`. */
export interface ToolResult extends CallToolResult {
  readonly [brand]: true
}

/**
 * Creates a whole tool result: blocks, structured content, error flag and metadata. Use it to send blocks or an error
 * beside `output`.
 */
export function result(parts: {
  content: string | ContentBlock | readonly ContentBlock[]
  structuredContent?: unknown
  isError?: boolean | undefined
  meta?: Meta | undefined
}): ToolResult {
  const { content, structuredContent, isError, meta } = parts
  const made = new MadeResult(toBlocks(content))
  if (structuredContent !== undefined) made.structuredContent = structuredContent
  if (isError !== undefined) made.isError = isError
  if (meta !== undefined) made._meta = meta
  return made
}

/** Has its brand on the prototype: copies that are sent don't have it, and defining it per object would cost as much as a call's JSON. */
class MadeResult implements ToolResult {
  declare structuredContent?: unknown
  declare isError?: boolean
  declare _meta?: Meta
  readonly content: ContentBlock[]

  constructor(content: ContentBlock[]) {
    this.content = content
  }

  get [brand](): true {
    return true
  }
}

/** Creates the result of a failure that the model may read. */
export function errorResult(message: string): CallToolResult {
  return { content: [text(message)], isError: true }
}

/**
 * Converts a handler's return value. Throws `ServerFault` for a value that doesn't match `output`, or that JSON can't carry.
 * `owner`: the tool, for the log.
 */
export function shapeResult(
  value: unknown,
  output: CompiledSchema | undefined,
  log: Log,
  owner: string,
): CallToolResult | Promise<CallToolResult> {
  if (typeof value === 'string' && output === undefined) return { content: [text(value)] }
  throwReturned(value)
  if (isToolResult(value)) {
    return value.isError === true
      ? shapeOwnError(value, output, log, owner)
      : shapeOwnResult(value, output, log, owner)
  }
  if (output === undefined) return shapeLoose(value, log, owner)
  return whenReady(output.check(value), (checked) => structured(accepted(checked)))
}

function shapeLoose(value: unknown, log: Log, owner: string): CallToolResult {
  if (value === undefined || value === null) return { content: [] }
  if (isContentBlock(value)) return verbatim({ content: [value] }, log, owner)
  if (isBlockList(value)) return verbatim({ content: value }, log, owner)
  if (isPlainResult(value)) return verbatim(value, log, owner)
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) {
    throw new ServerFault('expected image(), audio() or embed() around bytes, got bare ones')
  }
  if (value instanceof Map || value instanceof Set) {
    throw new ServerFault(
      `expected what JSON can carry, got a ${value.constructor.name}; spread it into an object or array`,
    )
  }
  return { content: [text(toJson(value))] }
}

function shapeOwnResult(
  value: ToolResult,
  output: CompiledSchema | undefined,
  log: Log,
  owner: string,
): CallToolResult | Promise<CallToolResult> {
  if (output === undefined) return verbatim({ ...value }, log, owner)
  if (!('structuredContent' in value)) {
    throw new ServerFault('`output` is declared: expected structuredContent in result(), or isError')
  }
  return whenReady(output.check(value.structuredContent), (checked) =>
    verbatim({ ...value, structuredContent: accepted(checked) }, log, owner),
  )
}

/** Leaves out structured content of an error result that doesn't match `output`. */
function shapeOwnError(
  value: ToolResult,
  output: CompiledSchema | undefined,
  log: Log,
  owner: string,
): CallToolResult | Promise<CallToolResult> {
  const { structuredContent, ...others } = value
  if (output === undefined || structuredContent === undefined) return verbatim({ ...value }, log, owner)
  return whenReady(output.check(structuredContent), (checked) => {
    if (checked.issues === undefined)
      return verbatim({ ...others, structuredContent: checked.value }, log, owner)
    warnOnce(
      log,
      owner,
      `${owner}: left the structuredContent of an error out, which \`output\` does not allow: ${describeIssues(checked.issues)}`,
    )
    return verbatim(others, log, owner)
  })
}

function structured(value: unknown): CallToolResult {
  return { content: [text(toJson(value))], structuredContent: value }
}

function accepted(checked: Checked): unknown {
  if (checked.issues === undefined) return checked.value
  throw new ServerFault(`returned what \`output\` does not allow: ${describeIssues(checked.issues)}`)
}

function verbatim(made: CallToolResult, log: Log, owner: string): CallToolResult {
  const onInvalid = (message: string): void => warnOnce(log, owner, `${owner}: left out ${message}`)
  const sent = sendable(made, onInvalid)
  const content = sendableBlocks(sent.content, onInvalid)
  const result = content === sent.content ? sent : { ...sent, content }
  assertJson(result)
  return result
}

function toBlocks(content: string | ContentBlock | readonly ContentBlock[]): ContentBlock[] {
  if (typeof content === 'string') return [text(content)]
  const blocks = Array.isArray(content) ? (content as readonly ContentBlock[]) : [content as ContentBlock]
  const wrong = blocks.findIndex((block) => !isContentBlock(block))
  if (wrong >= 0)
    throw new TypeError(
      `result(): expected content[${wrong}] to be a content block, got ${describe(blocks[wrong])}; build it with text(), image(), …`,
    )
  return [...blocks]
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && (value as Partial<ToolResult>)[brand] === true
}

function isBlockList(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentBlock)
}

const resultKeys = new Set(['content', 'structuredContent', 'isError', '_meta'])

function isPlainResult(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value.content) || !value.content.every(isContentBlock)) return false
  if (value.isError !== undefined && typeof value.isError !== 'boolean') return false
  if (value._meta !== undefined && value._meta !== null && !isObject(value._meta)) return false
  return Object.keys(value).every((key) => resultKeys.has(key))
}
