/** What a file's place means: its kind, its name or URI, and which files mean nothing. */

/** The folders below the directory, in the order of the lists. */
export const kinds = { tools: 'tool', resources: 'resource', prompts: 'prompt' } as const
export type Folder = keyof typeof kinds

/** What is passed over; docs/files.md has the same table. */
const ignored: readonly ((name: string, isFolder: boolean) => boolean)[] = [
  // Hidden files, editors' locks, .DS_Store.
  (name) => name.startsWith('.'),
  // Helpers that the author wants beside the definitions.
  (name) => name.startsWith('_'),
  (name, isFolder) => isFolder && name === 'node_modules',
  // Maps, JSON, markdown, editors' copies.
  (name, isFolder) => !isFolder && !/\.[cm]?[jt]sx?$/.test(name),
  (name, isFolder) => !isFolder && /\.d\.[cm]?ts$/.test(name),
  (name, isFolder) => !isFolder && /\.(test|spec|bench)\.[cm]?[jt]sx?$/.test(name),
]

export function isIgnored(name: string, isFolder: boolean): boolean {
  return ignored.some((test) => test(name, isFolder))
}

/** Files and folders that protect an endpoint in frameworks with the same layout: `auth.ts`, `Auth.config.js`, `auth/`. */
export const loginFile: RegExp =
  /^(?:auth|authentication|authorization|middleware)(?:\.config)?(?:\.[cm]?[jt]sx?)?$/i

/** The parts of a path below `tools/`, `resources/` or `prompts/`, the last one without its extension. */
export type FilePath = readonly string[]

export function withoutExtension(name: string): string {
  return name.replace(/\.[cm]?[jt]sx?$/, '')
}

/** `['notes', 'full-text']` → `notesFullText`; `undefined` for an `index` that has no folder. */
export function nameOf(path: FilePath): string | undefined {
  const words = meaningful(path).flatMap((part) => part.split(/[^\p{L}\p{N}_]+/u))
  const [first, ...others] = words.filter((word) => word !== '')
  return first && first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/**
 * `['notes', '[id]']` → `notes://{id}`; `[...path]` is `{+path}`. `undefined` for an `index` that has no folder.
 * @throws TypeError when the first part is no scheme.
 */
export function uriOf(path: FilePath): string | undefined {
  const [scheme, ...parts] = meaningful(path)
  if (scheme === undefined) return undefined
  if (!/^[a-z][a-z0-9+.-]*$/i.test(scheme)) {
    throw new TypeError(
      `"${scheme}" cannot be the scheme of a URI (a letter, then letters, digits, "+", "." and "-"): rename it, or write resource(uri, options)`,
    )
  }
  return `${scheme}://${parts.map(uriPart).join('/')}`
}

function meaningful(path: FilePath): FilePath {
  return path.at(-1) === 'index' ? path.slice(0, -1) : path
}

function uriPart(part: string): string {
  const pieces = part.split(/(\[[^[\]]+\])/)
  return pieces
    .map((piece) => (piece.startsWith('[') ? variable(piece.slice(1, -1)) : literal(piece)))
    .join('')
}

function variable(name: string): string {
  return name.startsWith('...') ? `{+${name.slice(3)}}` : `{${name}}`
}

/** Some file systems hand out names in decomposed letters; URIs are compared as they are written. */
function literal(text: string): string {
  return encodeURI(text.normalize('NFC')).replace(/[?#[\]]/g, encodeURIComponent)
}
