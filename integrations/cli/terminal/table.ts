/** Text in columns. */

const gap = 2
/** Columns are not made narrower than this. */
const narrowest = 8

/**
 * Columns as wide as their longest cell, two spaces between them; those that are empty are left out. Where that is
 * wider than `width`, the widest columns are cut.
 */
export function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY }: { readonly width?: number | undefined } = {},
): string {
  const used = head
    .map((_, column) => column)
    .filter((column) => rows.some((row) => (row[column] ?? '') !== ''))
  const all = [head, ...rows].map((row) => used.map((column) => printable(row[column] ?? '')))
  const wanted = used.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))))
  const widths = narrowed(wanted, width)
  return all.map((row) => toLine(row, widths)).join('\n')
}

function toLine(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => {
      const text = cut(cell, widths[column] ?? 0)
      return text + ' '.repeat((widths[column] ?? 0) - textWidth(text) + gap)
    })
    .join('')
    .trimEnd()
}

/** Takes from the widest until all fit. */
function narrowed(wanted: readonly number[], width: number): number[] {
  const widths = [...wanted]
  const total = (): number => widths.reduce((sum, one) => sum + one + gap, -gap)
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths))
    const now = widths[widest] ?? 0
    if (now <= narrowest) break
    widths[widest] = now - 1
  }
  return widths
}

/** A name must not break the table, or steer the terminal. */
function printable(cell: string): string {
  return cell.replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const none = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const graphemes = new Intl.Segmenter()

export function textWidth(text: string): number {
  return lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0)
}

/** With `…` where it is longer than `width`. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let left = width - 1
  for (const letter of lettersOf(text)) {
    left -= letterWidth(letter)
    if (left < 0) break
    kept += letter
  }
  return `${kept.trimEnd()}…`
}

function lettersOf(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}

function letterWidth(letter: string): number {
  if (wide.test(letter)) return 2
  return none.test(letter) ? 0 : 1
}
