// Checks a new user's first minute: an empty folder, install the package and Express, `init`, start, call. No edits.
import { execFile, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { npmInstall } from '../cached-install.mjs'

const run = promisify(execFile)
const maxMs = 60_000

const callHello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'hello',
    arguments: { name: 'you' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

/** Runs the check. Returns how long it took. */
export async function checkFirstUse(folder, { file }, express) {
  const began = Date.now()
  await mkdir(folder)
  await npmInstall(folder, [file, express])
  await npx(folder, 'init', '--yes')
  const port = await freePort()
  const app = spawn(process.execPath, ['--env-file=development.env', 'app.js'], {
    cwd: folder,
    env: { ...process.env, PORT: `${port}` },
  })
  try {
    const url = await urlOf(app)
    for (const target of [url, './app.js', './mcp.js']) {
      const { stdout } = await npx(folder, 'call', target, 'hello', 'name=you')
      if (stdout !== 'Hello you!\n') throw new Error(`expected "Hello you!" of ${target}, got ${stdout}`)
    }
    const { stdout } = await npx(folder, 'list', './app.js')
    if (!stdout.includes('hello')) throw new Error(`expected the tool in the list, got ${stdout}`)
    const served = npx(folder, 'stdio', './app.js')
    served.child.stdin.end(`${JSON.stringify(callHello)}\n`)
    const answer = JSON.parse((await served).stdout)
    if (answer.result?.content[0].text !== 'Hello you!')
      throw new Error(`over stdio: ${JSON.stringify(answer)}`)
  } finally {
    app.kill()
  }
  const took = Date.now() - began
  if (took > maxMs) throw new Error(`expected at most ${maxMs} ms, took ${took} ms`)
  return `${(took / 1000).toFixed(1)} s`
}

function npx(cwd, ...args) {
  return run('npx', ['--no-install', 'mcp-router', ...args], { cwd })
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function urlOf(app) {
  let errors = ''
  app.stderr.on('data', (text) => {
    errors += text
  })
  for await (const text of app.stdout.setEncoding('utf8')) {
    const [url] = /http:\S+/.exec(text) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`the app ended: ${errors}`)
}
