/** What an app of the benchmark tells the one that started it: its port, then the time it took of the processor. */

export function report(port: number): void {
  process.send?.(port)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
  // Ends with whoever started it.
  process.on('disconnect', () => process.exit())
}
