/** Sends the app's port to the benchmark, and its CPU time in microseconds whenever the benchmark asks. */

export function report(port: number): void {
  process.send?.(port)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
  // Exits together with the benchmark.
  process.on('disconnect', () => process.exit())
}
