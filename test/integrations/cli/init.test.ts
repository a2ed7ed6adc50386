/** `mcp-router init` in projects of every kind; what it writes runs. */

import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { initIn } from '../../../integrations/cli/commands/init.js'
import { planFor } from '../../../integrations/cli/init/plan.js'
import { readProject } from '../../../integrations/cli/init/project.js'
import { starters } from '../../../integrations/cli/init/starters.js'
import { bundle, bundled, execute, root, run, temporaryFolder } from './binary.js'

/** A folder with these files, where packages of the repository are found. */
async function project(files: Readonly<Record<string, string | object>>): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await temporaryFolder(join(cache, 'init-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

async function init(folder: string, ...args: string[]) {
  return execute([await bundled(), 'init', ...args], folder)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs what was written; where it says that it serves. */
async function serve(folder: string, file: string): Promise<string> {
  const banner =
    "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)"
  const outfile = await bundle(join(folder, file), join(folder, 'built.mjs'), banner)
  const child = spawn(process.execPath, [outfile], {
    env: { ...process.env, PORT: `${await freePort()}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  for await (const text of child.stdout.setEncoding('utf8')) {
    const [url] = /http:\S+/.exec(text) ?? []
    if (url !== undefined) return url
  }
  throw new Error('it ended')
}

describe.each(Object.keys(starters))('%s', (framework) => {
  it.each([
    ['CommonJS', {}, 'js'],
    ['ES modules', { type: 'module' }, 'js'],
    ['TypeScript', { type: 'module', devDependencies: { typescript: '*' } }, 'ts'],
  ])('in %s', async (_, manifest, ending) => {
    const folder = await project({ 'package.json': { ...manifest, dependencies: { [framework]: '*' } } })
    const { code, out, error } = await init(folder, '--yes')
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toContain(`Wrote mcp.${ending}, app.${ending} and development.env.\n\nNext:\n`)
    expect(out).toContain(` --env-file=development.env app.${ending} `)
    const url = await serve(folder, `app.${ending}`)
    expect(await run('call', url, 'hello', 'name=you')).toMatchObject({ code: 0, out: 'Hello you!\n' })
  })
})

it('is content with a folder that has nothing, and says what to install', async () => {
  const folder = await project({})
  const { code, out } = await init(folder, '--yes')
  expect(code).toBe(0)
  expect((await readdir(folder)).sort()).toEqual(['app.js', 'development.env', 'mcp.js'])
  expect(await readFile(join(folder, 'development.env'), 'utf8')).toMatch(/^NODE_ENV=development$/m)
  expect(await readFile(join(folder, 'app.js'), 'utf8')).toContain("require('express')")
  expect(out).toContain('  npm install mcp-router express\n')
})

it('leaves an app alone and says what to add to it', async () => {
  const folder = await project({
    'package.json': { type: 'module', dependencies: { koa: '*', 'mcp-router': '*' } },
    'src/server.js': 'mine',
  })
  const { out, error } = await init(folder, '--yes')
  expect(error).toBe('src/server.js already exists; left unchanged.\n')
  expect(await readdir(join(folder, 'src'))).toEqual(['mcp.js', 'server.js'])
  expect(out).toBe(
    [
      'Wrote src/mcp.js.',
      '',
      'Next:',
      '  npx mcp-router call ./src/mcp.js hello name=you',
      '',
      'And in src/server.js:',
      "  import { mcp } from 'mcp-router/koa'",
      "  import { router } from './mcp.js'",
      '  app.use(mcp(router))',
      '',
    ].join('\n'),
  )
  expect(await readFile(join(folder, 'src/server.js'), 'utf8')).toBe('mine')
})

it('writes over nothing', async () => {
  const folder = await project({ 'package.json': { dependencies: { express: '*' } }, 'mcp.js': 'mine' })
  const { error } = await init(folder, '--yes')
  expect(error).toBe('mcp.js already exists; left unchanged.\n')
  expect(await readFile(join(folder, 'mcp.js'), 'utf8')).toBe('mine')
})

it('writes nothing where nobody can be asked', async () => {
  const folder = await project({ 'package.json': { dependencies: { express: '*' } } })
  const { code, error } = await init(folder)
  expect({ code, error }).toEqual({
    code: 2,
    error:
      'Write mcp.js, app.js and development.env for express? There is no terminal to ask at: confirm with --yes\n',
  })
  expect(await readdir(folder)).toEqual(['package.json'])
})

it('writes nothing where the package.json cannot be read', async () => {
  const folder = await project({ 'package.json': '{ "name": ' })
  const { code, error } = await init(folder, '--yes')
  expect(code).toBe(3)
  expect(error).toMatch(/package\.json: expected JSON; /)
  expect(error).not.toMatch(/\n\s+at /)
  expect(await readdir(folder)).toEqual(['package.json'])
})

it('says which file it cannot write', async () => {
  const folder = await project({ 'package.json': { dependencies: { express: '*' } } })
  await symlink(join(folder, 'nowhere/mcp.js'), join(folder, 'mcp.js'))
  const { code, error } = await init(folder, '--yes')
  expect({ code, error }).toEqual({ code: 3, error: expect.stringMatching(/^mcp\.js cannot be written: E/) })
})

it('refuses frameworks that it does not know', async () => {
  const { code, error } = await run('init', '--framework', 'nest')
  expect(error).toBe('--framework: expected express, fastify, koa, hono, got nest\n')
  expect(code).toBe(2)
})

it('asks which framework, and whether to write', async () => {
  const folder = await project({ 'package.json': { dependencies: { express: '*', koa: '*' } } })
  const asked: string[] = []
  const typed = ['nest', 'koa', 'n']
  const terminal = {
    out: () => {},
    error: () => {},
    width: undefined,
    colour: false,
    input: Readable.from([]),
    async ask(question: string) {
      asked.push(question)
      return typed.shift()
    },
  }
  await expect(initIn(folder, {}, terminal)).rejects.toThrow('Nothing was written.')
  const which = 'Which framework, express, koa? [express] '
  expect(asked).toEqual([which, which, 'Write mcp.js, app.js and development.env for koa? [Y/n] '])
  expect(await readdir(folder)).toEqual(['package.json'])
})

it('names the types and the runner that TypeScript wants', async () => {
  const folder = await project({ 'tsconfig.json': '{}', 'package.json': { dependencies: { express: '*' } } })
  const { next } = planFor(folder, readProject(folder), 'express', starters.express as never)
  expect(next.slice(0, 2)).toEqual([
    '  npm install mcp-router',
    '  npm install --save-dev @types/express tsx',
  ])
})
