/** Text in columns. */

import { cut, textWidth } from './text-width.js'

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
