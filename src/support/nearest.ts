/** Finds the name that a misspelled one probably stands for. */

/** Longer names aren't compared: that would be slow. */
const longestName = 64

/**
 * The candidate that differs from a name only in case and separators (`taskId`, `task_id`), or by a few letters;
 * `undefined` when none is near.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined
  const letters = bare(name)
  let best: string | undefined
  let fewest = Math.min(3, Math.floor(letters.length / 3)) + 1
  for (const candidate of candidates) {
    if (candidate.length > longestName) continue
    const distance = edits(letters, bare(candidate))
    if (distance < fewest) [best, fewest] = [candidate, distance]
  }
  return best
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '')
}

/** Returns the edit distance, with swaps of neighbours as one edit. */
function edits(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(before, j - 2) + 1 : replaced
      next.push(Math.min(replaced, swapped, at(row, j) + 1, at(next, j - 1) + 1))
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0 // never missing: rows are as long as `b`
}
