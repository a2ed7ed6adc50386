/** `mcp-router/files`: loads definitions from the files of a directory. */

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
import { FolderWatcher } from './watch.js'

/** Options of `loadDirectory()`: how files are imported, and whether changes are watched. */
export interface DirectoryOptions {
  /**
   * For development: added, changed and removed files take effect at once, and clients are notified. Default false. Ignored
   * if `NODE_ENV` is `production`.
   */
  readonly watch?: boolean | undefined
  /** Imports a module by its `file:` URL. Default: `import()`, and jiti for TypeScript that the runtime can't read. */
  readonly import?: ((url: string) => unknown) | undefined
}

/** A loaded directory. */
export interface LoadedDirectory {
  /** The paths of the loaded files, relative to the directory and separated by `/`. */
  readonly files: readonly string[]
  /** Stops watching. The definitions stay. */
  close(): void
}

/**
 * Adds the default exports of the files below `tools/`, `resources/` and `prompts/` to a router: `tools/notes/search.ts`
 * becomes the tool `notesSearch`, `resources/notes/[id].ts` the resource `notes://{id}`. A name or URI in the definition
 * takes precedence.
 *
 * ```ts
 * await loadDirectory(router, new URL('./mcp', import.meta.url))
 * ```
 * @throws Error naming the files if one can't be loaded or two have the same name. In that case none is added.
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
  const watcher = new FolderWatcher({
    async changed() {
      if (core.inFlight.closing) watcher.close()
      else await files.refresh()
      return files.folders
    },
    failed: (folder, { message }) => core.log.warn(`changes in ${folder} cannot be watched: ${message}`),
  })
  if (options.watch === true && process.env.NODE_ENV !== 'production') watcher.watch(files.folders)
  return {
    get files() {
      return files.files
    },
    close: () => watcher.close(),
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
