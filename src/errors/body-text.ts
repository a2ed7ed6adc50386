/** Reads the body of an HTTP response as text: decodes its charset and strips the markup of pages. */

/** The headers and the body of an HTTP response. */
export interface HttpMessage {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

/** The longest text of a page that a model gets. Characters. */
const longestPage = 20_000

/** Returns one header. Repeated values are joined. */
export function headerOf({ headers }: Pick<HttpMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'object' ? value.join(', ') : value
}

/** Returns the media type in lower case, without parameters. Empty if there is none. */
export function mediaTypeOf(response: Pick<HttpMessage, 'headers'>): string {
  const type = headerOf(response, 'content-type') ?? ''
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

/** Decodes the body by the charset of its `Content-Type`, without a byte order mark. */
export function textOf(response: Pick<HttpMessage, 'headers' | 'body'>): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headerOf(response, 'content-type') ?? '')?.[1]
  return decoderFor(charset).decode(response.body)
}

/** Shared, because creating a decoder costs more than decoding most responses. */
const utf8 = new TextDecoder()

function decoderFor(charset: string | undefined): { decode(bytes: Uint8Array): string } {
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8
  try {
    return new TextDecoder(charset)
  } catch {
    return utf8
  }
}

/** Decodes bytes without a media type. Returns `undefined` if they aren't text. */
export function guessText(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells bytes from text
    return /[\u0000-\u0008\u000e-\u001a]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Subtypes of `application` that are text. */
const textual =
  /^application\/(?:[\w.-]+\+)?(?:xml|yaml|toml|javascript|ecmascript|graphql|sql|x-yaml|x-www-form-urlencoded|x-sh)$/

export function isTextual(type: string): boolean {
  return type.startsWith('text/') || type === 'image/svg+xml' || textual.test(type)
}

export function isPage(type: string): boolean {
  return type === 'text/html' || type === 'application/xhtml+xml'
}

export function isJsonType(type: string): boolean {
  return type === 'application/json' || type === 'text/json' || /^application\/(?:[\w.-]+\+)?json$/.test(type)
}

/** Returns the title and text of a page, truncated. Takes linear time. */
export function pageText(html: string): string {
  // More than this would be truncated after the markup is removed.
  const short = html.slice(0, 20 * longestPage)
  const title = decodeEntities(/<title[^<>]*>([^<]*)/i.exec(short)?.[1] ?? '').trim()
  const bare = withoutElements(withoutComments(short), [
    'title',
    'script',
    'style',
    'noscript',
    'template',
    'svg',
  ])
  const lines = decodeEntities(bare.replace(blockTag, '\n').replace(cellTag, ' ').replace(anyTag, ''))
    .split('\n')
    .map((line) => line.replace(/[\s\u00a0]+/g, ' ').trim())
    .filter((line) => line !== '')
  const text = [title, ...lines.filter((line) => line !== title)].filter((line) => line !== '').join('\n')
  return text.length > longestPage ? `${text.slice(0, longestPage)}…` : text
}

const blockTag =
  /<\/?(?:address|article|aside|blockquote|br|div|dd|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)\b[^<>]*>/gi
const cellTag = /<t[dh]\b[^<>]*>/gi
const anyTag = /<[^<>]*>/g

function withoutComments(html: string): string {
  const parts: string[] = []
  let from = 0
  for (let open = html.indexOf('<!--'); open >= 0; open = html.indexOf('<!--', from)) {
    parts.push(html.slice(from, open))
    const close = html.indexOf('-->', open)
    if (close < 0) return parts.join('')
    from = close + 3
  }
  return parts.join('') + html.slice(from)
}

function withoutElements(html: string, names: readonly string[]): string {
  let rest = html
  for (const name of names) rest = withoutElement(rest, name)
  return rest
}

/** Removes an element tag by tag. One expression for both tags would take quadratic time on unclosed ones. */
function withoutElement(html: string, name: string): string {
  const opening = new RegExp(`<${name}(?![\\w-])`, 'gi')
  const closing = new RegExp(`</${name}[^<>]*>?`, 'gi')
  const parts: string[] = []
  let from = 0
  for (let open = opening.exec(html); open !== null; open = opening.exec(html)) {
    parts.push(html.slice(from, open.index))
    closing.lastIndex = opening.lastIndex
    if (closing.exec(html) === null) return parts.join('')
    from = closing.lastIndex
    opening.lastIndex = from
  }
  return parts.join('') + html.slice(from)
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
}

function decodeEntities(text: string): string {
  return text.replace(/&(#?\w{1,8});/g, (whole, name: string) =>
    Object.hasOwn(entities, name.toLowerCase()) ? (entities[name.toLowerCase()] as string) : whole,
  )
}
