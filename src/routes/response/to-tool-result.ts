/** Converts a route's response to the result of the tool call. */

import { audio, embed, image, text } from '../../content/blocks.js'
import { result, type ToolResult } from '../../content/tool-result.js'
import {
  guessText,
  headerOf,
  isJsonType,
  isPage,
  isTextual,
  mediaTypeOf,
  pageText,
  textOf,
} from '../../errors/body-text.js'
import { fromHttpRefusal } from '../../errors/from-http-refusal.js'
import type { ContentBlock } from '../../protocol/types.js'
import { jsonText, mayHoldLongNumbers, parseJson, rounded } from '../../support/long-numbers.js'
import type { InnerRequest, InnerResponse } from '../route.js'
import type { RouteOutput } from '../schema/output.js'
import { isEventStream, isJsonLines, joinEvents, parseLines } from './event-stream.js'
import {
  closeJson,
  fitsInto,
  howToNarrow,
  narrowingArguments,
  truncateList,
  truncateText,
} from './truncate.js'

/** 1 MiB. */
export const defaultMaxResultBytes: number = 1024 * 1024

/** Returns how many bytes of a response to read, so that it can be truncated between items. */
export function bytesToRead(maxResultBytes: number): number {
  return 8 * maxResultBytes
}

export interface ToolResultOptions {
  readonly request: Pick<InnerRequest, 'method' | 'url'>
  readonly maxResultBytes: number
  /** Set if the tool has an output schema. */
  readonly output?: Pick<RouteOutput, 'drift'> | undefined
  /** Called with the difference if a response doesn't match the schema. */
  readonly onDrift?: ((difference: string) => void) | undefined
  /** Names of the tool's arguments. If the response is truncated, the note names those that may narrow it. */
  readonly arguments?: readonly string[] | undefined
}

/**
 * Converts a response.
 * @throws the error of `fromHttpRefusal` for status 400 and above.
 */
export function toToolResult(response: InnerResponse, options: ToolResultOptions): ToolResult {
  const { status } = response
  if (!(status >= 200 && status < 400)) throw fromHttpRefusal(response, sourceOf(options.request))
  if (status === 304)
    throw new Error(
      `${options.request.method} ${options.request.url} answered 304 to a request without conditions`,
    )
  if (status >= 300) return unstructured([text(redirectText(response))], options)
  if (response.body.length === 0) return unstructured(locationContent(response), options)
  const type = mediaTypeOf(response)
  const form = forms.find(({ takes }) => takes(type, response))
  const answered = (form?.read ?? readBytes)(response, options)
  return status === 201 || status === 202 ? withLocation(answered, response) : answered
}

type Read = (response: InnerResponse, options: ToolResultOptions) => ToolResult

const forms: readonly {
  readonly takes: (type: string, response: InnerResponse) => boolean
  readonly read: Read
}[] = [
  { takes: isJsonType, read: (response, options) => readJson(textOf(response), response, options) },
  { takes: isEventStream, read: readEvents },
  { takes: isJsonLines, read: readLines },
  { takes: isPage, read: (response, options) => plainText(pageText(textOf(response)), response, options) },
  { takes: isTextual, read: (response, options) => plainText(textOf(response), response, options) },
  { takes: (type, { body }) => type === '' && guessText(body) !== undefined, read: readUntyped },
]

/** Empty values, in the order in which clients handle them best. */
const emptyValues = [{}, [], null, '']

/**
 * Returns a result without structured data. An empty response isn't an error, even if the tool has an output schema.
 */
function unstructured(content: ContentBlock[], { output }: ToolResultOptions): ToolResult {
  if (output === undefined) return result({ content })
  const empty = emptyValues.find((value) => output.drift(value) === undefined)
  return result({ content, structuredContent: empty === undefined ? {} : empty })
}

function redirectText(response: InnerResponse): string {
  const location = headerOf(response, 'location')
  return location === undefined
    ? `${response.status} without a location`
    : `${response.status} to ${location}`
}

/** Adds the location of a created or accepted resource, unless the body already contains its id. */
function withLocation(answered: ToolResult, response: InnerResponse): ToolResult {
  const location = headerOf(response, 'location')
  const id = location?.split(/[/?#]/).findLast((part) => part !== '')
  if (id === undefined || answered.content.some((block) => block.type === 'text' && block.text.includes(id)))
    return answered
  const { content, structuredContent, isError } = answered
  return result({ content: [...content, ...locationContent(response)], structuredContent, isError })
}

/** Returns the location as content, if there is one. */
function locationContent(response: InnerResponse): ContentBlock[] {
  const location = headerOf(response, 'location')
  return location === undefined ? [] : [text(`${response.status} at ${location}`)]
}

function readUntyped(response: InnerResponse, options: ToolResultOptions): ToolResult {
  const guessed = textOf(response)
  return /^\s*[[{]/.test(guessed)
    ? readJson(guessed, response, options)
    : plainText(guessed, response, options)
}

function readEvents(response: InnerResponse, options: ToolResultOptions): ToolResult {
  const data = joinEvents(textOf(response))
  return options.output === undefined ? plainText(data, response, options) : readJson(data, response, options)
}

function readLines(response: InnerResponse, options: ToolResultOptions): ToolResult {
  const lines = textOf(response)
  const values = options.output === undefined ? undefined : parseLines(lines)
  return values === undefined
    ? plainText(lines.trimEnd(), response, options)
    : structured(values, response, options)
}

function readJson(body: string, response: InnerResponse, options: ToolResultOptions): ToolResult {
  const fits = !response.truncated && fitsInto(options.maxResultBytes, body)
  // Skips parsing.
  if (fits && options.output === undefined) return result({ content: compact(body) })
  const whole = response.truncated ? closeJson(body) : body
  const value = whole === undefined ? undefined : tryJson(whole)
  if (value === undefined) return plainText(body, response, options)
  return structured(value.json, response, options)
}

/** Removes indentation, which doubles the tokens of JSON. */
function compact(body: string): string {
  if (!body.includes('\n')) return body
  const parsed = tryJson(body)
  return parsed === undefined ? body : jsonText(parsed.json)
}

/** Returns a parsed value: truncated if it is too large, and compared with the output schema if there is one. */
function structured(value: unknown, response: InnerResponse, options: ToolResultOptions): ToolResult {
  const { maxResultBytes, output } = options
  const body = jsonText(value)
  const fits = !response.truncated && fitsInto(maxResultBytes, body)
  const cut = fits ? undefined : truncateList(value, maxResultBytes, response.truncated)
  if (!fits && cut === undefined) return plainText(body, response, options)
  const shown = cut === undefined ? value : cut.value
  const content = [text(cut === undefined ? body : jsonText(shown)), ...noteOf(cut, options)]
  if (output === undefined) return result({ content })
  const difference = output.drift(mayHoldLongNumbers(body) ? rounded(shown) : shown)
  return difference === undefined
    ? result({ content, structuredContent: shown })
    : driftError(content, difference, options)
}

function plainText(body: string, response: InnerResponse, options: ToolResultOptions): ToolResult {
  const { maxResultBytes, output } = options
  const fits = !response.truncated && fitsInto(maxResultBytes, body)
  const cut = fits ? undefined : truncateText(body, maxResultBytes)
  const content = [text(cut?.text ?? body), ...noteOf(cut, options)]
  if (output === undefined) return result({ content })
  const difference = fits ? output.drift(body) : 'too large to be sent whole'
  return difference === undefined
    ? result({ content, structuredContent: body })
    : driftError(content, difference, options)
}

function readBytes(response: InnerResponse, options: ToolResultOptions): ToolResult {
  const { body, truncated } = response
  const type = mediaTypeOf(response) || 'application/octet-stream'
  if (truncated || body.length * 4 > options.maxResultBytes * 3) {
    const size = truncated ? `more than ${body.length}` : `${body.length}`
    const message = `The answer is ${size} bytes of ${type}, more than can be sent (${options.maxResultBytes} bytes). ${howToNarrow(narrowingArguments(options.arguments ?? []))}`
    return result({ content: message, isError: true })
  }
  const content = [blockOf(body, type, options)]
  return options.output === undefined
    ? result({ content })
    : driftError(content, `${type}, not JSON`, options)
}

function blockOf(body: Uint8Array, type: string, { request }: ToolResultOptions): ContentBlock {
  if (type.startsWith('image/')) return image(body, type)
  if (type.startsWith('audio/')) return audio(body, type)
  return embed(`route:${request.url}`, body, type)
}

function driftError(content: ContentBlock[], difference: string, { onDrift }: ToolResultOptions): ToolResult {
  onDrift?.(difference)
  return result({ content, isError: true })
}

function noteOf(cut: { note: string } | undefined, options: ToolResultOptions): ContentBlock[] {
  if (cut === undefined) return []
  return [text(`${cut.note} ${howToNarrow(narrowingArguments(options.arguments ?? []))}`)]
}

function tryJson(body: string): { readonly json: unknown } | undefined {
  try {
    return { json: parseJson(body) }
  } catch {
    return undefined
  }
}

/** Returns the route's name in logs, without the query, which may contain secrets. */
function sourceOf({ method, url }: ToolResultOptions['request']): string {
  return `${method} ${url.split('?')[0]}`
}
