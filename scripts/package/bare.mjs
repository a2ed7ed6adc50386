// Runs a program of the consumer on Bare, and calls its tool over stdio.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** The binary itself: the command of the package starts it as a process of its own, having made it executable. */
const bare = createRequire(import.meta.url)('bare-runtime')()

export async function checkOnBare(folder, file) {
  await chmod(bare, 0o755)
  const child = spawn(bare, [file], { cwd: folder })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text
    })
  }
  child.stdin.on('error', () => {}) // it may have ended already; then it said why
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello"}}\n')
  const [code] = await once(child, 'close')
  if (code !== 0 || !said.stdout.includes('Hello from function')) {
    throw new Error(`ended with ${code}: ${said.stdout}${said.stderr}`)
  }
}
