/** The message of what `run` throws: what an author reads of a mistake. */
export function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return 'did not throw'
}
