// Runs a program of the consumer project on Bare, and calls its tool over stdio.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** The path of the binary. The package's own command would start it in another process. */
const bare = createRequire(import.meta.url)('bare-runtime')()

export async function checkOnBare(folder, file) {
  await chmod(bare, 0o755)
  const child = spawn(bare, [file], { cwd: folder })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text
    })
  }
  child.stdin.on('error', () => {}) // the process may have ended already; then its output gives the reason
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello"}}\n')
  const [code] = await once(child, 'close')
  if (code !== 0 || !output.stdout.includes('Hello from function')) {
    throw new Error(`ended with ${code}: ${output.stdout}${output.stderr}`)
  }
}
