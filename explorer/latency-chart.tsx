/** How long the last calls took, oldest first, as bars. */

interface Timed {
  readonly id: number
  readonly durationMs: number
  readonly outcome: string
}

const [bars, width, height] = [60, 6, 60]

export function LatencyChart({ calls, failed }: { calls: readonly Timed[]; failed: number }) {
  if (calls.length === 0) return null
  const times = calls.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor((times.length - 1) * share)] as number).toFixed(1)
  const slowest = Math.max(...times, 0.1)
  const shown = calls.slice(0, bars).reverse()
  const said = `Median ${at(0.5)} ms, 95% within ${at(0.95)} ms, ${((failed / calls.length) * 100).toFixed(0)}% failed`
  return (
    <figure className="chart">
      <svg
        role="img"
        aria-label={said}
        width={bars * width}
        height={height}
        viewBox={`0 0 ${bars * width} ${height}`}
      >
        {shown.map(({ id, durationMs, outcome }, index) => {
          const tall = Math.max(2, (durationMs / slowest) * height)
          const kind = outcome === 'ok' ? 'bar' : 'bar failed'
          return (
            <rect
              key={id}
              className={kind}
              x={index * width}
              y={height - tall}
              width={width - 1}
              height={tall}
            />
          )
        })}
      </svg>
      <figcaption>{said}</figcaption>
    </figure>
  )
}
