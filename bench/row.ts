/** One line of the table: how much of the other side's speed ours has. */

export interface Row {
  readonly work: string
  readonly against: string
  readonly ours: number
  readonly theirs: number
  /** Of what the numbers are. */
  readonly unit: string
  /** How many times as good as the other side; above 1 is better. */
  readonly ratio: number
  /** What the ratio has to reach; `undefined`: nothing was promised. */
  readonly reach: number | undefined
}

/** Of rates: more is better. */
export function row(
  work: string,
  against: string,
  reach: number | undefined,
  { ours, against: theirs }: { readonly ours: number; readonly against: number },
  unit = 'per second',
): Row {
  return { work, against, ours, theirs, unit, ratio: ours / theirs, reach }
}

/** Of costs: less is better. */
export function costRow(
  work: string,
  against: string,
  reach: number | undefined,
  { ours, against: theirs }: { readonly ours: number; readonly against: number },
  unit: string,
): Row {
  return { work, against, ours, theirs, unit, ratio: theirs / ours, reach }
}

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ work, against, ours, theirs, unit, ratio, reach }) => {
    const verdict = reach === undefined ? '' : ratio >= reach ? 'yes' : '**no**'
    const cells = [
      work,
      against,
      rounded(ours),
      rounded(theirs),
      unit,
      ratio.toFixed(2),
      reach ?? '',
      verdict,
    ]
    return `| ${cells.join(' | ')} |`
  })
  const head = ['Work', 'Against', 'Ours', 'Theirs', 'Unit', 'Ratio', 'Reach', 'Reached']
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...lines].join('\n')
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
}
