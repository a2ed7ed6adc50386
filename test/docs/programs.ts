/** The code of a page as one program that can be compiled and run. */

import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { loginsPage } from './logins-page.js'

const file = (relative: string): URL => new URL(relative, import.meta.url)

export interface Page {
  /** Below the root of the repository. */
  readonly path: string
  /** What it takes for granted: imports from its prelude. Packages are imported by the page itself. */
  readonly takes: string
  /** Arranges its blocks, where a page shows the end first. */
  readonly order?: (blocks: string[]) => string[]
  /** Beside the program, with those that the page itself shows as \`\`\`ts path. */
  readonly files?: Readonly<Record<string, string>>
}

export const readme: Page = {
  path: 'README.md',
  takes: `import { app, billingRouter, getTask, login, passport, requireRole, TaskService, tasks, timings, type User } from '../preludes/readme.js'`,
  order: ([mount = '', router = '', ...blocks]) => [router, mount, ...blocks],
}
export const routerPage: Page = {
  path: 'docs/router.md',
  takes: `import { isStaff, metrics, notes, tracker, type User } from '../preludes/router.js'`,
}
export const contextPage: Page = {
  path: 'docs/context.md',
  takes: `import { app, type Db, db, type User } from '../preludes/context.js'`,
}
export const conversationPage: Page = {
  path: 'docs/conversation.md',
  takes: `import { chartHtml, stock } from '../preludes/conversation.js'`,
}
export const definitionsPage: Page = {
  path: 'docs/definitions.md',
  takes: `import { notes } from '../preludes/definitions.js'`,
}
export const errorsPage: Page = {
  path: 'docs/errors.md',
  takes: `import { tracker } from '../preludes/errors.js'`,
}
export const mountingPage: Page = {
  path: 'docs/mounting.md',
  takes: `import { app, type User } from '../preludes/mounting.js'`,
}
export const nodePage: Page = {
  path: 'docs/node.md',
  takes: `import { app, certificate, login, requireNight, type User, users } from '../preludes/node.js'`,
}
export const koaPage: Page = {
  path: 'docs/koa.md',
  takes: `import { app, notes, secret, type User } from '../preludes/koa.js'`,
}
export const fastifyPage: Page = {
  path: 'docs/fastify.md',
  takes: `import { app, notes, secret, type User } from '../preludes/fastify.js'`,
}
export const fetchPage: Page = {
  path: 'docs/fetch.md',
  takes: `import { auth, Bun, type Db, dbFor, Deno, type User } from '../preludes/fetch.js'`,
}
export const stdioPage: Page = {
  path: 'docs/stdio.md',
  takes: `import { type Db, openDb, sharedDb, type User } from '../preludes/stdio.js'`,
}
export const websocketPage: Page = {
  path: 'docs/websocket.md',
  takes: `import { app, authenticate, fastifyApp, type User, userOf } from '../preludes/websocket.js'`,
}
export const routesPage: Page = {
  path: 'docs/routes.md',
  takes: `import { app, billingDocument, echo, fastifyApp, findUser, getTask, keepFile, koaApp, koaRouter, requireLogin, tasksDocument, upload, type User, users } from '../preludes/routes.js'`,
}
export const authPage: Page = {
  path: 'docs/auth.md',
  takes: `import { app, issuer, keys, people, tasks } from '../preludes/auth.js'`,
}
export const clusterPage: Page = {
  path: 'docs/cluster.md',
  takes: `import { mail, users, writeMonth } from '../preludes/cluster.js'`,
}
export const observabilityPage: Page = {
  path: 'docs/observability.md',
  takes: `import { app, logFile, metrics, tracker, warehouse, z } from '../preludes/observability.js'`,
}
export const commandLinePage: Page = {
  path: 'docs/command-line.md',
  takes: `import { logRequest, tasks } from '../preludes/command-line.js'`,
}
export const testingPage: Page = {
  path: 'docs/testing.md',
  takes: `import { Notes, type User } from '../preludes/testing.js'`,
}
export const filesPage: Page = {
  path: 'docs/files.md',
  takes: '',
  files: { 'mcp/_notes.ts': `export const notes = ['Buy milk', 'Call Eva']` },
}
export const explorerPage: Page = {
  path: 'docs/explorer.md',
  takes: `import { app, requireStaff } from '../preludes/explorer.js'`,
}
export const servicesPage: Page = {
  path: 'docs/services.md',
  takes: `import { app, Notes, Transaction, type User } from '../preludes/services.js'`,
}
export const startPage: Page = { path: 'docs/start.md', takes: '' }
export const convertingPage: Page = {
  path: 'docs/converting.md',
  takes: `import { addBook, app, books, requireLogin, type User } from '../preludes/converting.js'`,
}
export const deployingPage: Page = {
  path: 'docs/deploying.md',
  takes: `import { app } from '../preludes/deploying.js'`,
}
/** Their programs are the files that they show: what there was, and what it becomes. */
export const migratingPages: readonly Page[] = [
  'docs/migrating-sdk.md',
  'docs/migrating-fastmcp.md',
  'docs/migrating-express-mcp-handler.md',
  'docs/migrating-fastapi-mcp.md',
].map((path) => ({ path, takes: '' }))
/** Pages of words alone. */
export const plainPages: readonly Page[] = [
  'docs/index.md',
  'docs/bare.md',
  'docs/codes.md',
  'docs/limits.md',
  'docs/migrating.md',
  'docs/coming-from.md',
  'docs/coming-from-alepha.md',
  'docs/coming-from-aidex.md',
  'docs/coming-from-clovejs.md',
  'docs/coming-from-bare.md',
].map((path) => ({ path, takes: '' }))
export const pages: readonly Page[] = [
  readme,
  startPage,
  convertingPage,
  deployingPage,
  ...migratingPages,
  ...plainPages,
  routerPage,
  contextPage,
  conversationPage,
  definitionsPage,
  errorsPage,
  mountingPage,
  fastifyPage,
  fetchPage,
  koaPage,
  nodePage,
  stdioPage,
  websocketPage,
  routesPage,
  authPage,
  clusterPage,
  loginsPage,
  observabilityPage,
  commandLinePage,
  testingPage,
  filesPage,
  servicesPage,
  explorerPage,
]

/** Writes the program of a page and loads it, without what it says on the console: its exports. */
export async function load<Exports>(page: Page): Promise<Exports> {
  for (const method of ['debug', 'info', 'log', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => {})
  return import((await write(page)).href) as Promise<Exports>
}

/** Loads a file that a page shows, once the page was loaded. */
export function loadShown<Exports>(path: string): Promise<Exports> {
  return import(file(`generated/${path}`).href) as Promise<Exports>
}

/** What the compiler says of a page. Each is a program of its own, since each says who its users are. */
export async function complaintsAboutPage(page: Page): Promise<string> {
  const program = await write(page)
  const beside = Object.keys(filesOf(page, await textOf(page))).map(
    (path) => file(`generated/${path}`).pathname,
  )
  const config = new URL(program.href.replace(/\.ts$/, '.json'))
  await replace(
    config,
    JSON.stringify({ extends: '../tsconfig.json', include: [], files: [program.pathname, ...beside] }),
  )
  return compile(config)
}

export function complaintsAboutTests(): Promise<string> {
  return compile(file('tsconfig.json'))
}

function compile(config: URL): Promise<string> {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', config.pathname]
  return promisify(execFile)(process.execPath, tsc, { cwd: file('../..') }).then(
    () => '',
    (error) => error.stdout || String(error),
  )
}

async function write(page: Page): Promise<URL> {
  const { path, takes, order = (blocks) => blocks } = page
  const markdown = await textOf(page)
  const blocks = [...markdown.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1] ?? '')
  const program = file(`generated/${path.replace(/\W/g, '-')}.ts`)
  await mkdir(file('generated'), { recursive: true })
  for (const [name, text] of Object.entries(filesOf(page, markdown))) {
    const beside = file(`generated/${name}`)
    await mkdir(new URL('.', beside), { recursive: true })
    await replace(beside, text)
  }
  await replace(program, `${[takes, ...order(blocks)].join('\n')}\n`)
  return program
}

function textOf({ path }: Page): Promise<string> {
  return readFile(file(`../../${path}`), 'utf8')
}

function filesOf({ files }: Page, markdown: string): Record<string, string> {
  const shown = [...markdown.matchAll(/```ts (\S+)\n(.*?)```/gs)]
  return { ...files, ...Object.fromEntries(shown.map(([, path = '', text = '']) => [path, text])) }
}

/** Never half a file, since test files run at the same time. */
async function replace(target: URL, text: string): Promise<void> {
  const draft = new URL(`${target.href}.${process.pid}.${drafts++}`)
  await writeFile(draft, text)
  await rename(draft, target)
}

let drafts = 0
