/** Builds content blocks, and recognises them in what handlers return. */

import type {
  Annotations,
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  Meta,
  ResourceLink,
  TextContent,
} from '../protocol/types.js'
import { toBase64 } from '../support/base64.js'
import { isObject } from '../support/values.js'

/** Options of every block helper. */
export interface BlockOptions {
  annotations?: Annotations | undefined
  /** Sent as `_meta`. */
  meta?: Meta | undefined
}

/** A text block. */
export function text(value: string, options?: BlockOptions): TextContent {
  return options === undefined
    ? { type: 'text', text: value }
    : { type: 'text', text: value, ...extras(options) }
}

/** An image block. `data`: bytes, or base64 as it is. */
export function image(data: Uint8Array | string, mimeType: string, options?: BlockOptions): ImageContent {
  return { type: 'image', data: encoded(data), mimeType, ...extras(options) }
}

/** An audio block. `data`: bytes, or base64 as it is. */
export function audio(data: Uint8Array | string, mimeType: string, options?: BlockOptions): AudioContent {
  return { type: 'audio', data: encoded(data), mimeType, ...extras(options) }
}

/** A link to a resource that the client may read. `name` defaults to the last part of the URI. */
export function link(
  uri: string,
  options: Partial<Omit<ResourceLink, 'type' | 'uri' | '_meta'>> & BlockOptions = {},
): ResourceLink {
  const { annotations, meta, ...fields } = options
  return {
    type: 'resource_link',
    uri,
    ...fields,
    name: fields.name ?? lastPart(uri),
    ...extras({ annotations, meta }),
  }
}

/** A resource sent along. `mimeType` defaults to `text/plain` for text, `application/octet-stream` for bytes. */
export function embed(
  uri: string,
  content: string | Uint8Array,
  mimeType?: string,
  options?: BlockOptions,
): EmbeddedResource {
  const resource =
    typeof content === 'string'
      ? { uri, mimeType: mimeType ?? 'text/plain', text: content }
      : { uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(content) }
  return { type: 'resource', resource, ...extras(options) }
}

/** Returns the last non-empty part of a URI: the default name of a resource. */
export function lastPart(uri: string): string {
  const parts = uri
    .replace(/\{[^}]*\}/g, '')
    .split(/[/:]+/)
    .filter((part) => part !== '')
  return parts.at(-1) ?? uri
}

/** The checks of each kind of block for its required members. */
const required: Readonly<Record<ContentBlock['type'], (block: Record<string, unknown>) => boolean>> = {
  text: (block) => typeof block.text === 'string',
  image: (block) => typeof block.data === 'string' && typeof block.mimeType === 'string',
  audio: (block) => typeof block.data === 'string' && typeof block.mimeType === 'string',
  resource_link: (block) => typeof block.uri === 'string' && typeof block.name === 'string',
  resource: ({ resource }) =>
    isObject(resource) &&
    typeof resource.uri === 'string' &&
    (typeof resource.text === 'string' || typeof resource.blob === 'string'),
}

export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isObject(value) || typeof value.type !== 'string' || !Object.hasOwn(required, value.type)) return false
  return required[value.type as ContentBlock['type']](value)
}

function encoded(data: Uint8Array | string): string {
  return typeof data === 'string' ? data : toBase64(data)
}

function extras(options: BlockOptions | undefined): { annotations?: Annotations; _meta?: Meta } {
  if (options === undefined) return {}
  const { annotations, meta } = options
  return { ...(annotations && { annotations }), ...(meta && { _meta: meta }) }
}
