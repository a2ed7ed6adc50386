/** The rows of the result table. */

export interface Row {
  readonly work: string
  readonly against: string
  readonly ours: number
  readonly theirs: number
  /** The unit of `ours` and `theirs`. */
  readonly unit: string
  /** How many times as good as the other side ours is. Above 1 is better. */
  readonly ratio: number
  /** The ratio to reach, if there is a target. */
  readonly target: number | undefined
}

/** Creates a row of rates, for which more is better. */
export function row(
  work: string,
  against: string,
  target: number | undefined,
  { ours, against: theirs }: { readonly ours: number; readonly against: number },
  unit = 'per second',
): Row {
  return { work, against, ours, theirs, unit, ratio: ours / theirs, target }
}

/** Creates a row of costs, for which less is better. */
export function costRow(
  work: string,
  against: string,
  target: number | undefined,
  { ours, against: theirs }: { readonly ours: number; readonly against: number },
  unit: string,
): Row {
  return { work, against, ours, theirs, unit, ratio: theirs / ours, target }
}

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ work, against, ours, theirs, unit, ratio, target }) => {
    const reached = target === undefined ? '' : ratio >= target ? 'yes' : '**no**'
    const cells = [
      work,
      against,
      rounded(ours),
      rounded(theirs),
      unit,
      ratio.toFixed(2),
      target ?? '',
      reached,
    ]
    return `| ${cells.join(' | ')} |`
  })
  const head = ['Work', 'Against', 'Ours', 'Theirs', 'Unit', 'Ratio', 'Target', 'Reached']
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...lines].join('\n')
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
}
