/** Makes definitions ready to serve: converts their schemas and checks their names. */

import type { Middleware } from '../context.js'
import { lastPart } from '../results/content.js'
import {
  assertAcceptsStrings,
  type CompiledSchema,
  compileInput,
  compileOutput,
  promptArguments,
  type UnknownArguments,
} from '../schema/index.js'
import { mirroredParameters } from '../schema/mirrored-parameters.js'
import type { Schema, StandardSchemaV1 } from '../schema/types.js'
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
import { display, sizeOf, staticMimeType, toolAnnotations } from './listed.js'
import type { CacheHint, ClientNeed } from './options.js'
import { isTemplate, parseTemplate } from './uri-template.js'

/** Throws, naming the definition, when it cannot be served. */
export function toEntry(
  parts: DefinitionParts,
  givenName: string | undefined,
  defaults: EntryDefaults,
): Entry {
  const entry = toEntryOfKind(parts, givenName, defaults)
  assertListable(entry)
  return entry
}

/** One definition that JSON cannot carry would take the whole list with it. */
function assertListable({ kind, key, listed }: Entry): void {
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

function toEntryOfKind(
  parts: DefinitionParts,
  givenName: string | undefined,
  defaults: EntryDefaults,
): Entry {
  if (parts.kind === 'tool') return toTool(parts, givenName, defaults)
  if (parts.kind === 'prompt') return toPrompt(parts, givenName, defaults)
  const uri = parts.uri ?? ''
  return isTemplate(uri)
    ? toTemplate(parts, uri, givenName, defaults)
    : toResource(parts, uri, givenName, defaults)
}

/** Accepts nothing and hands the handler `{}`: the schema of a definition without `input`. */
const noInput: StandardSchemaV1 & { '~standard': { jsonSchema: object } } = {
  '~standard': {
    version: 1,
    vendor: 'mcp-router',
    validate: () => ({ value: {} }),
    jsonSchema: {
      input: () => ({ type: 'object', properties: {} }),
      output: () => ({ type: 'object', properties: {} }),
    },
  },
}

function toTool(parts: DefinitionParts, givenName: string | undefined, defaults: EntryDefaults): ToolEntry {
  const { options } = parts
  const name = nameOf(parts, givenName)
  const owner = ownerOf('tool', name)
  warnWithoutDescription(owner, options, defaults)
  const compile = { owner, support: defaults.support, warn: defaults.warn }
  const input = compileInput((options.input as Schema | undefined) ?? noInput, {
    ...compile,
    unknownArguments: options.unknownArguments as UnknownArguments | undefined,
    defaultUnknownArguments: defaults.unknownArguments,
    coerceStrings: false,
  })
  const output = options.output === undefined ? undefined : compileOutput(options.output as Schema, compile)
  return {
    ...common(parts, name, name, defaults),
    kind: 'tool',
    input,
    output,
    mirrored: mirroredParameters(input.json, owner),
    listed: {
      ...display(options),
      inputSchema: input.json,
      outputSchema: output?.json,
      annotations: toolAnnotations(options.annotations as OptionsRecord | undefined),
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
    input: options.input === undefined ? undefined : stringInput(options.input as Schema, owner, defaults),
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
  const input = stringInput((options.input as Schema | undefined) ?? noInput, owner, defaults)
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
  return {
    key,
    name,
    place,
    options: options as Entry['options'],
    middleware: (options.use as readonly Middleware[] | undefined) ?? [],
    requireUser: (options.requireUser as boolean | undefined) ?? defaults.requireUser,
    needs: (options.needs as readonly ClientNeed[] | undefined) ?? [],
    timeoutMs: (options.timeoutMs as number | undefined) ?? defaults.timeoutMs,
  }
}

/** Prompt arguments and template variables travel as strings, and their schema decides what is unknown. */
function stringInput(schema: Schema, owner: string, defaults: EntryDefaults): CompiledSchema {
  const { support, warn } = defaults
  return compileInput(schema, {
    owner,
    support,
    warn,
    unknownArguments: 'pass',
    defaultUnknownArguments: 'pass',
    coerceStrings: true,
  })
}

function nameOf(parts: DefinitionParts, givenName: string | undefined): string {
  const name = parts.options.name ?? givenName
  if (typeof name === 'string' && name !== '') return name
  const place = parts.place === undefined ? '' : ` (defined at ${parts.place})`
  throw new TypeError(`a ${parts.kind} has no name${place}: give it \`name\`, or add it under a key`)
}

function completers(owner: string, options: OptionsRecord, names: readonly string[]): Completers {
  const given = (options.complete as Completers | undefined) ?? {}
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      throw new TypeError(
        `${owner}: \`complete.${name}\` completes nothing; it has ${names.join(', ') || 'no arguments'}`,
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

/** What keeps a definition from being served on this platform. */
export function obstacles(entry: Entry): Error[] {
  const schemas = [
    entry.kind === 'resource' ? undefined : entry.input,
    entry.kind === 'tool' ? entry.output : undefined,
  ]
  return schemas.flatMap((schema) => {
    try {
      schema?.prepare()
      return []
    } catch (error) {
      return [error as Error]
    }
  })
}
