/** Formats results as text. */

import { isObject } from '../../../src/internal.js'

type Block = Readonly<Record<string, unknown>>

/** Formats a tool's result: structured content if the text is only a copy of it, else the content blocks. */
export function resultText({ content, structuredContent }: Readonly<Record<string, unknown>>): string {
  const blocks = blocksOf(content)
  const [only] = blocks
  const isCopy = only?.type === 'text' && only.text === JSON.stringify(structuredContent)
  if (structuredContent !== undefined && (blocks.length === 0 || (blocks.length === 1 && isCopy))) {
    return JSON.stringify(structuredContent, undefined, 2)
  }
  return blocks.map(blockText).join('\n')
}

/** Formats the messages of a prompt, each with its role. */
export function promptText({ messages }: Readonly<Record<string, unknown>>): string {
  return blocksOf(messages)
    .map(({ role, content }) => `${role}: ${blocksOf([content].flat()).map(blockText).join('\n')}`)
    .join('\n')
}

/** Formats the contents of a resource: text as it is, and type and size for binary content. */
export function contentsText({ contents }: Readonly<Record<string, unknown>>): string {
  return blocksOf(contents).map(contentText).join('\n')
}

export function blocksOf(value: unknown): Block[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

const kinds: Readonly<Record<string, (block: Block) => string>> = {
  text: ({ text }) => String(text),
  image: bytesNote,
  audio: bytesNote,
  resource: ({ resource }) => (isObject(resource) ? contentText(resource) : ''),
  resource_link: ({ uri, name, description }) =>
    `${uri} (${[name, description].filter((part) => part !== undefined).join(': ')})`,
}

function blockText(block: Block): string {
  const kind =
    typeof block.type === 'string' && Object.hasOwn(kinds, block.type) ? kinds[block.type] : undefined
  return kind?.(block) ?? JSON.stringify(block)
}

function contentText({ uri, mimeType, text, blob }: Block): string {
  return typeof text === 'string' ? text : `${uri} ${bytesNote({ mimeType, data: blob })}`
}

/** Describes binary content by type and size. `--json` prints the bytes. */
function bytesNote({ mimeType = 'bytes', data }: Block): string {
  const size = typeof data === 'string' ? Buffer.from(data, 'base64').length : 0
  return `[${mimeType}, ${size.toLocaleString('en')} bytes]`
}
