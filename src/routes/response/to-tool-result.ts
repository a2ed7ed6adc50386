/** What a route answered becomes the result of the tool call. */

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

/** Default 1 MiB. */
export const defaultMaxResultBytes: number = 1024 * 1024

/** How much of an answer is read, so that what is cut can be cut at the border of an item. */
export function bytesToRead(maxResultBytes: number): number {
  return 8 * maxResultBytes
}

export interface ToolResultOptions {
  readonly request: Pick<InnerRequest, 'method' | 'url'>
  readonly maxResultBytes: number
  /** Where the tool advertises an output schema. */
  readonly output?: Pick<RouteOutput, 'drift'> | undefined
  /** Told how an answer differs from the schema. */
  readonly onDrift?: ((difference: string) => void) | undefined
  /** Names of the tool's arguments: those that may narrow the answer are named where it is cut. */
  readonly arguments?: readonly string[] | undefined
}

/** @throws what `fromHttpRefusal` makes of status 400 and more. */
export function toToolResult(response: InnerResponse, options: ToolResultOptions): ToolResult {
  const { status } = response
  if (!(status >= 200 && status < 400)) throw fromHttpRefusal(response, sourceOf(options.request))
  if (status === 304)
    throw new Error(
      `${options.request.method} ${options.request.url} answered 304 to a request without conditions`,
    )
  if (status >= 300) return unstructured([text(redirectText(response))], options)
  if (response.body.length === 0) return unstructured(emptyContent(response), options)
  const type = mediaTypeOf(response)
  const form = forms.find(({ takes }) => takes(type, response))
  const answered = (form?.read ?? readBytes)(response, options)
  return status === 201 || status === 202 ? withPlace(answered, response) : answered
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

/** What is as good as nothing, in the order of how well clients take it. */
const emptyValues = [{}, [], null, '']

/** Nothing to show is no failure, even where a schema was promised for the other answers. */
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

/** Where to find what was made, or begun, where the body does not say it: its id there is enough. */
function withPlace(answered: ToolResult, response: InnerResponse): ToolResult {
  const location = headerOf(response, 'location')
  const id = location?.split(/[/?#]/).findLast((part) => part !== '')
  if (id === undefined || answered.content.some((block) => block.type === 'text' && block.text.includes(id)))
    return answered
  const { content, structuredContent, isError } = answered
  return result({ content: [...content, ...emptyContent(response)], structuredContent, isError })
}

/** What was created, where nothing else says so. */
function emptyContent(response: InnerResponse): ContentBlock[] {
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
  // Nothing to be gained from parsing it.
  if (fits && options.output === undefined) return result({ content: compact(body) })
  const whole = response.truncated ? closeJson(body) : body
  const value = whole === undefined ? undefined : tryJson(whole)
  if (value === undefined) return plainText(body, response, options)
  return structured(value.json, response, options)
}

/** Indented JSON costs a model twice as much to read. */
function compact(body: string): string {
  if (!body.includes('\n')) return body
  const parsed = tryJson(body)
  return parsed === undefined ? body : jsonText(parsed.json)
}

/** A value that was parsed: cut where it is too large, compared with the schema where there is one. */
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
    : drifted(content, difference, options)
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
    : drifted(content, difference, options)
}

function readBytes(response: InnerResponse, options: ToolResultOptions): ToolResult {
  const { body, truncated } = response
  const type = mediaTypeOf(response) || 'application/octet-stream'
  // Base64 takes four characters for three bytes.
  if (truncated || body.length * 4 > options.maxResultBytes * 3) {
    const size = truncated ? `more than ${body.length}` : `${body.length}`
    const message = `The answer is ${size} bytes of ${type}, more than can be sent (${options.maxResultBytes} bytes). ${howToNarrow(narrowingArguments(options.arguments ?? []))}`
    return result({ content: message, isError: true })
  }
  const content = [blockOf(body, type, options)]
  return options.output === undefined ? result({ content }) : drifted(content, `${type}, not JSON`, options)
}

function blockOf(body: Uint8Array, type: string, { request }: ToolResultOptions): ContentBlock {
  if (type.startsWith('image/')) return image(body, type)
  if (type.startsWith('audio/')) return audio(body, type)
  return embed(`route:${request.url}`, body, type)
}

function drifted(content: ContentBlock[], difference: string, { onDrift }: ToolResultOptions): ToolResult {
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

/** How the log names a route: without its query, which may hold secrets. */
function sourceOf({ method, url }: ToolResultOptions['request']): string {
  return `${method} ${url.split('?')[0]}`
}
