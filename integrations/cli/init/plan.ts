/** What `init` is going to write, and what is left to do then. */

import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Project } from './project.js'
import { appSource, linesFor, routerSource } from './source.js'
import type { Starter } from './starters.js'

export interface PlannedFile {
  /** Below the folder of the project. */
  readonly file: string
  readonly text: string
}

export interface Plan {
  readonly files: readonly PlannedFile[]
  /** Files that are there, and stay as they are. */
  readonly kept: readonly string[]
  /** For people: the commands and lines that come next. */
  readonly next: readonly string[]
}

export function planFor(root: string, project: Project, framework: string, starter: Starter): Plan {
  const { style, folder, app } = project
  const ending = style.isTypeScript ? 'ts' : 'js'
  const wanted: PlannedFile[] = [
    { file: path.join(folder, `mcp.${ending}`), text: routerSource(project, style) },
    ...(app === undefined
      ? [
          { file: path.join(folder, `app.${ending}`), text: appSource(starter, style) },
          { file: path.join(folder, 'development.env'), text: environment },
        ]
      : []),
  ]
  const isThere = ({ file }: PlannedFile): boolean => existsSync(path.join(root, file))
  const files = wanted.filter((one) => !isThere(one))
  const kept = [...wanted.filter(isThere).map(({ file }) => file), ...(app === undefined ? [] : [app])]
  return { files, kept, next: [...toInstall(project, framework, starter), ...toDo(project, starter, wanted)] }
}

/** `npm install …` for what is missing. */
function toInstall({ has, style }: Project, framework: string, { packages = [], types }: Starter): string[] {
  const missing = ['mcp-router', framework, ...packages].filter((name) => !has(name))
  const runners = ['tsx', 'jiti', 'ts-node']
  const tools = style.isTypeScript
    ? [...(types === undefined ? [] : [types]), ...(runners.some(has) ? [] : ['tsx'])].filter(
        (name) => !has(name),
      )
    : []
  return [
    ...(missing.length > 0 ? [`  npm install ${missing.join(' ')}`] : []),
    ...(tools.length > 0 ? [`  npm install --save-dev ${tools.join(' ')}`] : []),
  ]
}

/** A file of its own: a deployment that runs the app without it gets no development mode. */
const environment = `# For your own machine: the explorer opens, and errors show their cause. Deployments set NODE_ENV=production.
NODE_ENV=development
`

function toDo(
  { app, style }: Project,
  starter: Starter,
  [router, own, env]: readonly PlannedFile[],
): string[] {
  const run = style.isTypeScript ? 'npx tsx' : 'node'
  const list = `  npx mcp-router call ./${posix(router?.file)} hello name=you`
  if (own !== undefined) {
    const start = `${run} --env-file=${posix(env?.file)} ${posix(own.file)}`
    return [`  ${start}   # MCP at http://127.0.0.1:3000/mcp; PORT is honoured`, list]
  }
  return [list, '', `And in ${posix(app)}:`, ...linesFor(starter, style).map((line) => `  ${line}`)]
}

function posix(file = ''): string {
  return file.split(path.sep).join('/')
}
