/**
 * A process that serves over stdio and writes to stdout in every possible way. Its arguments select further actions.
 */
import fs, { writeSync } from 'node:fs'
import { McpRouter } from 'mcp-router'
import { protectStdout, serveStdio } from 'mcp-router/stdio'
import pino from 'pino'

const does = new Set(process.argv.slice(2))
const release = protectStdout()
const logger = pino()
console.log('while it is loaded')

const router = new McpRouter<object>({ name: 'noisy' })

router.tool('noise', {
  description: 'd',
  handler: () => {
    console.log('by console.log')
    console.info('by console.info')
    console.table(['by console.table'])
    process.stdout.write('by process.stdout\n')
    fs.writeSync(1, 'by fs.writeSync\n')
    writeSync(1, 'by an import of writeSync\n')
    fs.writeFileSync(1, 'by fs.writeFileSync\n')
    logger.info('by pino')
    process.stdout.end('by the end of a pipe\n')
    return 'quiet'
  },
})
router.tool('hold', {
  description: 'd',
  handler: (_, { signal }) =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('held'))),
})
router.tool('large', { description: 'd', handler: () => 'x'.repeat(1024 * 1024) })

// Keeps the process alive, like a connection pool.
if (does.has('kept')) setInterval(() => {}, 60_000)
await serveStdio(router, {
  drainMs: does.has('drains') ? 60_000 : 200,
  onClose: () => console.error('closed'),
})
release()
if (does.has('says')) console.log('after all')
