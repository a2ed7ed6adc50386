/** A bar chart of the durations of the last calls, oldest first. */

interface Timed {
  readonly id: number
  readonly durationMs: number
  readonly outcome: string
}

const [bars, width, height] = [60, 6, 60]

export function LatencyChart({ calls, failed }: { calls: readonly Timed[]; failed: number }) {
  if (calls.length === 0) return null
  const times = calls.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
  const percentile = (share: number): string =>
    (times[Math.floor((times.length - 1) * share)] as number).toFixed(1)
  const slowest = Math.max(...times, 0.1)
  const shown = calls.slice(0, bars).reverse()
  const summary = `Median ${percentile(0.5)} ms, 95% within ${percentile(0.95)} ms, ${((failed / calls.length) * 100).toFixed(0)}% failed`
  return (
    <figure className="chart">
      <svg
        role="img"
        aria-label={summary}
        width={bars * width}
        height={height}
        viewBox={`0 0 ${bars * width} ${height}`}
      >
        {shown.map(({ id, durationMs, outcome }, index) => {
          const barHeight = Math.max(2, (durationMs / slowest) * height)
          const kind = outcome === 'ok' ? 'bar' : 'bar failed'
          return (
            <rect
              key={id}
              className={kind}
              x={index * width}
              y={height - barHeight}
              width={width - 1}
              height={barHeight}
            />
          )
        })}
      </svg>
      <figcaption>{summary}</figcaption>
    </figure>
  )
}
