import type { McpRouter } from 'mcp-router'

/** Adds a tool `held` that runs until it is released, and tells of its end. */
export function holding(router: McpRouter) {
  let release = (): void => {}
  let begin: (signal: AbortSignal) => void
  const running = new Promise<AbortSignal>((resolve) => {
    begin = resolve
  })
  router.tool('held', {
    description: 'd',
    handler: async (_, { signal }) => {
      begin(signal)
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return 'released'
    },
  })
  return { router, running, release: () => release() }
}
