/** Files as definitions: `mcp-router/files`. */

import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  aBoolean,
  aFunction,
  checkOptions,
  coreOf,
  describe,
  type McpRouter,
  type Register,
} from '../../src/internal.js'
import { Directory } from './directory.js'
import { Watch } from './watch.js'

/** How files are loaded, and whether their changes are followed. */
export interface DirectoryOptions {
  /**
   * For development: files that come, change or go take effect at once, and clients are told. Default false; never
   * where `NODE_ENV` is `production`.
   */
  readonly watch?: boolean | undefined
  /** Imports a module by its `file:` URL. Default: as the runtime does, with jiti for TypeScript that it cannot read. */
  readonly import?: ((url: string) => unknown) | undefined
}

/** What was loaded. */
export interface LoadedDirectory {
  /** Below the directory, with `/` between the parts. */
  readonly files: readonly string[]
  /** Ends the watch. The definitions stay. */
  close(): void
}

/**
 * Adds what the files below `tools/`, `resources/` and `prompts/` export by default: `tools/notes/search.ts` is the tool
 * `notesSearch`, `resources/notes/[id].ts` the resource `notes://{id}`. A name or URI in the definition wins.
 *
 * ```ts
 * await loadDirectory(router, new URL('./mcp', import.meta.url))
 * ```
 * @throws Error naming the files, when one cannot be loaded or two are called the same; then none is added.
 */
export function loadDirectory<E extends object = Register>(
  router: McpRouter<E>,
  directory: URL | string,
  options?: DirectoryOptions,
): Promise<LoadedDirectory>
export async function loadDirectory(
  router: object,
  directory: URL | string,
  options: DirectoryOptions = {},
): Promise<LoadedDirectory> {
  const core = coreOf(router as McpRouter<object>)
  checkOptions('loadDirectory()', options, { known: { watch: aBoolean, import: aFunction } })
  const files = new Directory(core, toPath(directory), options.import)
  await files.load()
  const watch = new Watch({
    async changed() {
      if (core.inFlight.closing) watch.close()
      else await files.refresh()
      return files.folders
    },
    failed: (folder, { message }) => core.log.warn(`changes in ${folder} go unnoticed: ${message}`),
  })
  if (options.watch === true && process.env.NODE_ENV !== 'production') watch.follow(files.folders)
  return {
    get files() {
      return files.files
    },
    close: () => watch.close(),
  }
}

function toPath(directory: unknown): string {
  const text = directory instanceof URL ? directory.href : directory
  if (typeof text === 'string' && text !== '')
    return path.resolve(text.startsWith('file:') ? fileURLToPath(text) : text)
  throw new TypeError(
    `loadDirectory(): expected a folder, such as new URL('./mcp', import.meta.url); got ${describe(directory)}`,
  )
}
