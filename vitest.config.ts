import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: '#runtime', replacement: path('./integrations/node/runtime.ts') },
      { find: /^mcp-router$/, replacement: path('./src/index.ts') },
      { find: /^mcp-router\/adapter$/, replacement: path('./src/adapter.ts') },
      { find: /^mcp-router\/([a-z-]+)$/, replacement: path('./integrations/$1/index.ts') },
    ],
  },
  // Tests of mounts mostly wait for sockets, so more than one for each core.
  test: {
    maxWorkers: 4,
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 15_000,
    hookTimeout: 15_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'integrations/**/*.ts'],
      reporter: ['text', 'html', 'json-summary'],
      reportOnFailure: true,
    },
    // A machine that others load takes time from a test; what fails twice is broken.
    retry: process.env.CI === undefined ? 0 : 1,
  },
})
