/** What a definition says about itself in a list. */

import { bytesOf } from '../support/bytes.js'
import { type OptionsRecord, ownerOf } from './define.js'
import type { Entry } from './entries.js'
import { toolHints } from './tables.js'

export function display(options: OptionsRecord): Record<string, unknown> {
  const { title, description, icons, meta } = options
  return { title, description, icons, _meta: meta }
}

export function toolAnnotations(given: OptionsRecord | undefined): Record<string, unknown> | undefined {
  if (given === undefined) return undefined
  const wire: Record<string, unknown> = {}
  if (given.title !== undefined) wire.title = given.title
  for (const hint of toolHints) {
    const value = given[hint] ?? given[`${hint}Hint`]
    if (value !== undefined) wire[`${hint}Hint`] = value
  }
  return wire
}

export function staticMimeType(options: OptionsRecord): string | undefined {
  if (options.text !== undefined) return 'text/plain'
  return options.blob === undefined ? undefined : 'application/octet-stream'
}

export function sizeOf(options: OptionsRecord): number | undefined {
  if (options.size !== undefined) return options.size as number
  if (typeof options.text === 'string') return bytesOf(options.text)
  return (options.blob as Uint8Array | undefined)?.length
}

/** One definition that JSON cannot carry would take the whole list with it. */
export function assertListable({ kind, key, listed }: Entry): void {
  for (const option in listed) {
    try {
      JSON.stringify(listed[option])
    } catch (error) {
      const name = option === '_meta' ? 'meta' : option
      throw new TypeError(
        `${ownerOf(kind, key)}: \`${name}\` cannot be listed: ${(error as Error).message}`,
        {
          cause: error,
        },
      )
    }
  }
}
