/** Converts definitions and results of the newest revision to what an older revision's schema allows. */

import type { Revision } from './revisions.js'
import type {
  AudioContent,
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Implementation,
  ReadResourceResult,
  ResourceLink,
} from './types.js'

type JsonObject = Record<string, unknown>

/** Converts a listed tool, resource, template or prompt. */
export function toRevisionDefinition(definition: JsonObject, revision: Revision): JsonObject {
  const projected: JsonObject = {}
  for (const key in definition) {
    if (definition[key] !== undefined && allowed(key, revision)) projected[key] = definition[key]
  }
  if (projected.outputSchema !== undefined) {
    const schema = toRevisionOutputSchema(projected.outputSchema as JsonObject, revision)
    if (schema === undefined) delete projected.outputSchema
    else projected.outputSchema = schema
  }
  if (projected.annotations !== undefined)
    projected.annotations = toRevisionAnnotations(projected.annotations as JsonObject, revision)
  if (Array.isArray(projected.arguments)) {
    projected.arguments = projected.arguments.map((argument) =>
      toRevisionDefinition(argument as JsonObject, revision),
    )
  }
  return projected
}

export function toRevisionImplementation(info: Implementation, revision: Revision): JsonObject {
  const projected = toRevisionDefinition(info as unknown as JsonObject, revision)
  if (!revision.icons) delete projected.description
  return projected
}

export function toRevisionToolResult(
  result: CallToolResult,
  revision: Revision,
  wrapped: boolean,
): CallToolResult {
  if (revision.structured === 'any') return result
  if (result.structuredContent === undefined && rich(revision)) return result
  const projected: CallToolResult = { ...result, content: toRevisionBlocks(result.content, revision) }
  if (result.structuredContent !== undefined) {
    if (revision.structured === 'none') delete projected.structuredContent
    else projected.structuredContent = asObject(result.structuredContent, wrapped)
  }
  return projected
}

export function toRevisionPromptResult(result: GetPromptResult, revision: Revision): GetPromptResult {
  if (rich(revision)) return result
  const messages = result.messages.map((message) => ({
    ...message,
    content: toRevisionBlock(message.content, revision),
  }))
  return { ...result, messages }
}

export function toRevisionReadResult(result: ReadResourceResult, revision: Revision): ReadResourceResult {
  if (revision.meta) return result
  return { ...result, contents: result.contents.map(({ _meta, ...item }) => item) }
}

/** Whether all values of a schema are objects. */
export function isObjectSchema(schema: JsonObject): boolean {
  if (schema.type === 'object') return true
  const branches = schema.anyOf ?? schema.oneOf
  return (
    Array.isArray(branches) &&
    branches.length > 0 &&
    branches.every((branch) => isObjectSchema(branch as JsonObject))
  )
}

const rowOf: Readonly<Record<string, (revision: Revision) => boolean>> = {
  title: (revision) => revision.titles,
  icons: (revision) => revision.icons,
  websiteUrl: (revision) => revision.icons,
  execution: (revision) => revision.tasks === 'core',
  outputSchema: (revision) => revision.structured !== 'none',
  _meta: (revision) => revision.meta,
}

function allowed(key: string, revision: Revision): boolean {
  return Object.hasOwn(rowOf, key) ? (rowOf[key]?.(revision) ?? true) : true
}

/** Matches references that would break if their schema were wrapped. Such a schema isn't advertised. */
const refersToRoot = /"\$(?:dynamicR|r)ef":"#(?!\/(?:\$defs|definitions)\/)/

/** Converts an output schema. Older revisions require an object at the root, so other values are sent as `{ result: value }`. */
function toRevisionOutputSchema(schema: JsonObject, revision: Revision): JsonObject | undefined {
  if (revision.structured === 'any') return schema
  if (isObjectSchema(schema)) return { ...schema, type: 'object' }
  if (refersToRoot.test(JSON.stringify(schema))) return undefined
  const { $defs, definitions, $schema, ...inner } = schema
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result: inner },
    required: ['result'],
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

/** Wraps a value as `{ result: value }`, if its schema was `wrapped`, or if it has none and isn't an object. */
function asObject(value: unknown, wrapped: boolean): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return wrapped || !isObject ? { result: value } : value
}

function toRevisionAnnotations(annotations: JsonObject, revision: Revision): JsonObject {
  if (revision.meta || annotations.lastModified === undefined) return annotations
  const { lastModified, ...rest } = annotations
  return rest
}

function rich(revision: Revision): boolean {
  return revision.audio && revision.resourceLinks && revision.meta && revision.icons
}

function toRevisionBlocks(blocks: ContentBlock[], revision: Revision): ContentBlock[] {
  return rich(revision) ? blocks : blocks.map((block) => toRevisionBlock(block, revision))
}

function toRevisionBlock(block: ContentBlock, revision: Revision): ContentBlock {
  const replaced = replaceBlock(block, revision)
  const { _meta, annotations, ...rest } = replaced
  const kept: JsonObject = { ...rest }
  if (!revision.icons) delete kept.icons
  if (annotations !== undefined) kept.annotations = toRevisionAnnotations(annotations as JsonObject, revision)
  if (_meta !== undefined && revision.meta) kept._meta = _meta
  if (replaced.type === 'resource' && !revision.meta) {
    const { _meta: _, ...resource } = replaced.resource
    kept.resource = resource
  }
  return kept as unknown as ContentBlock
}

/** Replaces a block of a kind that the revision doesn't know, since older schemas have closed unions. */
function replaceBlock(block: ContentBlock, revision: Revision): ContentBlock {
  if (block.type === 'audio' && !revision.audio) return audioAsResource(block)
  if (block.type === 'resource_link' && !revision.resourceLinks) return linkAsText(block)
  return block
}

function audioAsResource({ data, mimeType, annotations }: AudioContent): ContentBlock {
  const subtype = mimeType.split('/')[1] ?? 'audio'
  const resource = { uri: `audio://inline.${subtype}`, mimeType, blob: data }
  return { type: 'resource', resource, ...(annotations && { annotations }) }
}

function linkAsText({ uri, title, name, description, annotations }: ResourceLink): ContentBlock {
  const lines = [`${title ?? name}: ${uri}`, ...(description === undefined ? [] : [description])]
  return { type: 'text', text: lines.join('\n'), ...(annotations && { annotations }) }
}
