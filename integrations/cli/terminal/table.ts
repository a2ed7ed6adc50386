/** Formats text as a table. */

const gap = 2
/** The width below which columns aren't narrowed. */
const minWidth = 8

/**
 * Formats a table with columns as wide as their longest cell. Empty columns are left out. If the table is wider than
 * `width`, the widest columns are truncated.
 */
export function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY }: { readonly width?: number | undefined } = {},
): string {
  const used = head
    .map((_, column) => column)
    .filter((column) => rows.some((row) => (row[column] ?? '') !== ''))
  const all = [head, ...rows].map((row) => used.map((column) => sanitizeCell(row[column] ?? '')))
  const natural = used.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))))
  const widths = narrowed(natural, width)
  return all.map((row) => toLine(row, widths)).join('\n')
}

function toLine(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => {
      const text = truncate(cell, widths[column] ?? 0)
      return text + ' '.repeat((widths[column] ?? 0) - textWidth(text) + gap)
    })
    .join('')
    .trimEnd()
}

/** Narrows the widest columns until all fit. */
function narrowed(natural: readonly number[], width: number): number[] {
  const widths = [...natural]
  const total = (): number => widths.reduce((sum, column) => sum + column + gap, -gap)
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths))
    const now = widths[widest] ?? 0
    if (now <= minWidth) break
    widths[widest] = now - 1
  }
  return widths
}

/** Removes line breaks and control characters, so that a name can't break the table or control the terminal. */
function sanitizeCell(cell: string): string {
  return cell.replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const none = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const graphemes = new Intl.Segmenter()

export function textWidth(text: string): number {
  return graphemesOf(text).reduce((sum, letter) => sum + graphemeWidth(letter), 0)
}

/** Shortens text to `width` columns, ending with `…`. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let left = width - 1
  for (const letter of graphemesOf(text)) {
    left -= graphemeWidth(letter)
    if (left < 0) break
    kept += letter
  }
  return `${kept.trimEnd()}…`
}

function graphemesOf(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}

function graphemeWidth(letter: string): number {
  if (wide.test(letter)) return 2
  return none.test(letter) ? 0 : 1
}
