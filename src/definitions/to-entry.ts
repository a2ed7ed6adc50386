/** Converts definitions to entries: compiles their schemas and checks their names. */

import { lastPart } from '../content/blocks.js'
import { assertAcceptsStrings, compileOutput, headerParameters, promptArguments } from '../schema/index.js'
import type { Schema } from '../schema/types.js'
import { bytesOf } from '../support/base64.js'
import type { Middleware } from './context.js'
import { type DefinitionParts, type OptionsRecord, ownerOf } from './define.js'
import type {
  Completers,
  Entry,
  EntryDefaults,
  PromptEntry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './entries.js'
import { stringInput, toolInput } from './inputs.js'
import type { CacheHint, ClientNeed } from './options.js'
import { toolHints } from './tables.js'
import { isTemplate, parseTemplate } from './uri-template.js'

/**
 * Converts a definition.
 * @throws Error naming the definition if it can't be served.
 */
export function toEntry(
  parts: DefinitionParts,
  givenName: string | undefined,
  defaults: EntryDefaults,
): Entry {
  const entry = toEntryOfKind(parts, givenName, defaults)
  assertListable(entry)
  return entry
}

function toEntryOfKind(
  parts: DefinitionParts,
  givenName: string | undefined,
  defaults: EntryDefaults,
): Entry {
  if (parts.kind === 'tool') return toTool(parts, givenName, defaults)
  if (parts.kind === 'prompt') return toPrompt(parts, givenName, defaults)
  const uri = uriOf(parts)
  return isTemplate(uri)
    ? toTemplate(parts, uri, givenName, defaults)
    : toResource(parts, uri, givenName, defaults)
}

function toTool(parts: DefinitionParts, givenName: string | undefined, defaults: EntryDefaults): ToolEntry {
  const { options } = parts
  const name = nameOf(parts, givenName)
  const owner = ownerOf('tool', name)
  warnWithoutDescription(owner, options, defaults)
  const compile = { owner, support: defaults.support, warn: defaults.warn }
  const input = toolInput(owner, options, defaults)
  const output = options.output === undefined ? undefined : compileOutput(options.output as Schema, compile)
  return {
    ...common(parts, name, name, defaults),
    kind: 'tool',
    input,
    output,
    headerParameters: headerParameters(input.json, owner),
    task: options.task as ToolEntry['task'],
    listed: {
      ...display(options),
      inputSchema: input.json,
      outputSchema: output?.json,
      annotations: toolAnnotations(options.annotations as OptionsRecord | undefined),
      execution: options.task === undefined ? undefined : { taskSupport: options.task },
    },
  }
}

function toResource(
  parts: DefinitionParts,
  uri: string,
  givenName: string | undefined,
  defaults: EntryDefaults,
): ResourceEntry {
  const { options } = parts
  const name = (options.name as string | undefined) ?? givenName ?? lastPart(uri)
  for (const option of ['input', 'complete', 'list']) {
    if (options[option] !== undefined) {
      throw new TypeError(
        `${ownerOf('resource', uri)}: \`${option}\` needs a variable in the URI, as in \`task://{id}\``,
      )
    }
  }
  const mimeType = (options.mimeType as string | undefined) ?? staticMimeType(options)
  return {
    ...common(parts, uri, name, defaults),
    kind: 'resource',
    cache: options.cache as CacheHint | undefined,
    mimeType,
    listed: { ...display(options), uri, mimeType, annotations: options.annotations, size: sizeOf(options) },
  }
}

function toTemplate(
  parts: DefinitionParts,
  uri: string,
  givenName: string | undefined,
  defaults: EntryDefaults,
): TemplateEntry {
  const { options } = parts
  const owner = ownerOf('resource', uri)
  if (options.handler === undefined) throw new TypeError(`${owner}: a URI with variables needs a \`handler\``)
  if (options.size !== undefined)
    throw new TypeError(`${owner}: \`size\` belongs to a fixed resource; return it from \`list\``)
  const template = parseTemplate(uri)
  const name = (options.name as string | undefined) ?? givenName ?? lastPart(uri)
  const mimeType = options.mimeType as string | undefined
  return {
    ...common(parts, uri, name, defaults),
    kind: 'template',
    template,
    input: options.input === undefined ? undefined : stringInput(owner, options, defaults),
    complete: completers(
      owner,
      options,
      template.variables.map((variable) => variable.name),
    ),
    cache: options.cache as CacheHint | undefined,
    mimeType,
    listed: { ...display(options), uriTemplate: uri, mimeType, annotations: options.annotations },
  }
}

function toPrompt(
  parts: DefinitionParts,
  givenName: string | undefined,
  defaults: EntryDefaults,
): PromptEntry {
  const { options } = parts
  const name = nameOf(parts, givenName)
  const owner = ownerOf('prompt', name)
  warnWithoutDescription(owner, options, defaults)
  const input = stringInput(owner, options, defaults)
  assertAcceptsStrings(input, owner)
  const list = promptArguments(input.json)
  return {
    ...common(parts, name, name, defaults),
    kind: 'prompt',
    input,
    complete: completers(
      owner,
      options,
      list.map((argument) => argument.name),
    ),
    listed: { ...display(options), arguments: list.length === 0 ? undefined : list },
  }
}

function common(
  parts: DefinitionParts,
  key: string,
  name: string,
  defaults: EntryDefaults,
): Omit<Entry, 'kind' | 'listed'> {
  const { options, place } = parts
  const needs = (options.needs as readonly ClientNeed[] | undefined) ?? []
  return {
    key,
    name,
    place,
    options: options as Entry['options'],
    middleware: (options.use as readonly Middleware[] | undefined) ?? [],
    requireUser: (options.requireUser as boolean | undefined) ?? defaults.requireUser,
    scopes: [...((options.scopes as readonly string[] | undefined) ?? [])],
    needs: options.confirm === true ? [...new Set([...needs, 'elicitation' as const])] : needs,
    confirm: options.confirm === true,
    timeoutMs: (options.timeoutMs as number | undefined) ?? defaults.timeoutMs,
  }
}

function nameOf(parts: DefinitionParts, givenName: string | undefined): string {
  const name = parts.options.name ?? givenName
  if (typeof name === 'string' && name !== '') return name
  throw new TypeError(`a ${parts.kind} has no name${at(parts)}: give it \`name\`, or add it under a key`)
}

function uriOf(parts: DefinitionParts): string {
  if (parts.uri !== undefined) return parts.uri
  throw new TypeError(
    `a resource has no URI${at(parts)}: write resource(uri, options); only loadDirectory() gives one, by its file`,
  )
}

function at({ place }: DefinitionParts): string {
  return place === undefined ? '' : ` (defined at ${place})`
}

function completers(owner: string, options: OptionsRecord, names: readonly string[]): Completers {
  const given = (options.complete as Completers | undefined) ?? {}
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      throw new TypeError(
        `${owner}: \`complete.${name}\` matches no argument; expected ${names.join(', ') || 'no completers'}`,
      )
    }
  }
  return Object.assign(Object.create(null), given)
}

function warnWithoutDescription(
  owner: string,
  { description }: OptionsRecord,
  { warn }: EntryDefaults,
): void {
  if (description === undefined) warn(`${owner} has no description: the model has to guess what it is for`)
}

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

/** Checks that the entry can be serialized as JSON. One entry that can't would break the whole list. */
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
