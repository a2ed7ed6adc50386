/** Turns a file into an entry of the router: the definition in its default export, named after its path. */

import {
  type AnyDefinition,
  type DefinitionParts,
  describe,
  type Entry,
  partsOf,
  type Registry,
  toEntry,
} from '../../src/internal.js'
import { kinds, nameOf, uriOf } from './conventions.js'
import { type ImportModule, readModule, withoutVersion } from './read-module.js'
import type { FoundFile } from './scan.js'

/** Imports a file and returns its entry. @throws Error naming the file if the import fails or has no such definition. */
export async function readFile(
  found: FoundFile,
  registry: Registry,
  version: number,
  importModule: ImportModule | undefined,
): Promise<Entry> {
  let module: unknown
  try {
    module = await readModule(found.file, version, importModule)
  } catch (error) {
    throw fileError(found, error, 'could not be loaded: ')
  }
  const parts = definitionIn(module, found)
  try {
    const name = (parts.options.name as string | undefined) ?? nameOf(found.path)
    const uri = parts.kind === 'resource' ? (parts.uri ?? uriOf(found.path)) : undefined
    return toEntry({ ...parts, uri, place: found.file }, name, registry.defaults)
  } catch (error) {
    throw fileError(found, error)
  }
}

function definitionIn(module: unknown, found: FoundFile): DefinitionParts {
  const kind = kinds[found.folder]
  const exported = defaultOf(module)
  const parts = partsOf(exported)
  if (parts?.kind === kind) return parts
  const wanted = parts === undefined ? `\`export default ${kind}({ … })\`` : `a ${kind} in ${found.folder}/`
  throw fileError(
    found,
    new TypeError(`expected ${wanted}, got ${parts ? `a ${parts.kind}` : describe(exported)}`),
  )
}

/** Returns the default export. An ES module that was compiled to CommonJS has it one level deeper. */
function defaultOf(module: unknown): AnyDefinition | undefined {
  const { default: outer } = (module ?? {}) as { default?: unknown }
  const { default: inner } = (outer ?? {}) as { default?: unknown }
  return (partsOf(inner) === undefined ? outer : inner) as AnyDefinition | undefined
}

/** Creates an error that names the file. */
export function fileError({ label }: FoundFile, cause: unknown, problem: string = ''): Error {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new Error(`${label}: ${problem}${withoutVersion(message)}`, { cause })
}
