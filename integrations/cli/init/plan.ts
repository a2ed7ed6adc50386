/** Plans the files that `init` writes, and the steps that remain. */

import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Project } from './project.js'
import { appSource, linesFor, routerSource } from './source.js'
import type { Starter } from './starters.js'

export interface PlannedFile {
  /** The path, relative to the project folder. */
  readonly file: string
  readonly text: string
}

export interface Plan {
  readonly files: readonly PlannedFile[]
  /** Existing files that are left unchanged. */
  readonly kept: readonly string[]
  /** The commands and code lines that come next, for display. */
  readonly next: readonly string[]
}

export function planFor(root: string, project: Project, framework: string, starter: Starter): Plan {
  const { style, folder, app } = project
  const extension = style.isTypeScript ? 'ts' : 'js'
  const wanted: PlannedFile[] = [
    { file: path.join(folder, `mcp.${extension}`), text: routerSource(project, style) },
    ...(app === undefined
      ? [
          { file: path.join(folder, `app.${extension}`), text: appSource(starter, style) },
          { file: path.join(folder, 'development.env'), text: environment },
        ]
      : []),
  ]
  const exists = ({ file }: PlannedFile): boolean => existsSync(path.join(root, file))
  const files = wanted.filter((file) => !exists(file))
  const kept = [...wanted.filter(exists).map(({ file }) => file), ...(app === undefined ? [] : [app])]
  return {
    files,
    kept,
    next: [...installCommands(project, framework, starter), ...nextSteps(project, starter, wanted)],
  }
}

/** Returns the `npm install …` commands for missing packages. */
function installCommands(
  { has, style }: Project,
  framework: string,
  { packages = [], types }: Starter,
): string[] {
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

/** The content of development.env. It's a separate file, so that deployments don't get the development mode. */
const environment = `# For development only: enables the explorer, and errors show their cause. Deployments set NODE_ENV=production.
NODE_ENV=development
`

function nextSteps(
  { app, style }: Project,
  starter: Starter,
  [router, own, env]: readonly PlannedFile[],
): string[] {
  const run = style.isTypeScript ? 'npx tsx' : 'node'
  const list = `  npx mcp-router call ./${posix(router?.file)} hello name=you`
  if (own !== undefined) {
    const start = `${run} --env-file=${posix(env?.file)} ${posix(own.file)}`
    return [`  ${start}   # MCP at http://127.0.0.1:3000/mcp; set PORT for another port`, list]
  }
  return [list, '', `And in ${posix(app)}:`, ...linesFor(starter, style).map((line) => `  ${line}`)]
}

function posix(file = ''): string {
  return file.split(path.sep).join('/')
}
