/** Naming conventions: a file's path determines its kind and its name or URI, or that it's ignored. */

/** The folders below the directory and the kind of definition in each, in loading order. */
export const kinds = { tools: 'tool', resources: 'resource', prompts: 'prompt' } as const
export type Folder = keyof typeof kinds

/** Rules for ignored files and folders; docs/files.md has the same table. */
const ignored: readonly ((name: string, isFolder: boolean) => boolean)[] = [
  // Hidden files, editors' lock files, .DS_Store.
  (name) => name.startsWith('.'),
  // Helpers next to the definitions.
  (name) => name.startsWith('_'),
  (name, isFolder) => isFolder && name === 'node_modules',
  // Source maps, JSON, Markdown, editors' backup files.
  (name, isFolder) => !isFolder && !/\.[cm]?[jt]sx?$/.test(name),
  (name, isFolder) => !isFolder && /\.d\.[cm]?ts$/.test(name),
  (name, isFolder) => !isFolder && /\.(test|spec|bench)\.[cm]?[jt]sx?$/.test(name),
]

export function isIgnored(name: string, isFolder: boolean): boolean {
  return ignored.some((test) => test(name, isFolder))
}

/** Names that protect an endpoint in frameworks with the same layout: `auth.ts`, `Auth.config.js`, `auth/`. */
export const loginFile: RegExp =
  /^(?:auth|authentication|authorization|middleware)(?:\.config)?(?:\.[cm]?[jt]sx?)?$/i

/** The segments of a path below `tools/`, `resources/` or `prompts/`. The last segment has no extension. */
export type FilePath = readonly string[]

export function withoutExtension(name: string): string {
  return name.replace(/\.[cm]?[jt]sx?$/, '')
}

/** Returns the name: `['notes', 'full-text']` → `notesFullText`; `undefined` for a top-level `index`. */
export function nameOf(path: FilePath): string | undefined {
  const words = withoutIndex(path).flatMap((part) => part.split(/[^\p{L}\p{N}_]+/u))
  const [first, ...others] = words.filter((word) => word !== '')
  return first && first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/**
 * Returns the URI: `['notes', '[id]']` → `notes://{id}`; `[...path]` → `{+path}`; `undefined` for a top-level `index`.
 * @throws TypeError if the first segment isn't a valid URI scheme.
 */
export function uriOf(path: FilePath): string | undefined {
  const [scheme, ...parts] = withoutIndex(path)
  if (scheme === undefined) return undefined
  if (!/^[a-z][a-z0-9+.-]*$/i.test(scheme)) {
    throw new TypeError(
      `expected a URI scheme (a letter, then letters, digits, "+", "." or "-"), got "${scheme}": rename it, or write resource(uri, options)`,
    )
  }
  return `${scheme}://${parts.map(uriPart).join('/')}`
}

function withoutIndex(path: FilePath): FilePath {
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

/** Encodes a segment. Some file systems return decomposed letters, which NFC composes, since URIs are compared as text. */
function literal(text: string): string {
  return encodeURI(text.normalize('NFC')).replace(/[?#[\]]/g, encodeURIComponent)
}
