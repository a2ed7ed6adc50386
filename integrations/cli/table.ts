/** Text in columns. */

/** Columns as wide as their longest cell, two spaces between them. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(printable))
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A name must not break the table, or steer the terminal. */
function printable(cell: string): string {
  return cell.replace(/\p{Cc}/gu, ' ')
}
