/** Implements `mcp-router init`. */

import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { exitCodes, LoadError, UsageError } from '../exit-codes.js'
import { type PlannedFile, planFor } from '../init/plan.js'
import { type Project, readProject } from '../init/project.js'
import { type Starter, starters } from '../init/starters.js'
import type { Input, Values } from '../options.js'
import type { Terminal } from '../terminal/terminal.js'

export async function runInit({ values }: Input, terminal: Terminal): Promise<number> {
  await initIn(process.cwd(), values, terminal)
  return exitCodes.ok
}

/** Writes the files into `root` and prints the next steps. @throws UsageError, LoadError */
export async function initIn(root: string, values: Values, terminal: Terminal): Promise<void> {
  const project = readProject(root)
  const framework = await chooseFramework(project, values, terminal)
  const plan = planFor(root, project, framework, starters[framework] as Starter)
  for (const file of plan.kept) terminal.error(`${file} already exists; left unchanged.`)
  if (plan.files.length > 0) {
    await confirmWrite(plan.files, framework, values, terminal)
    for (const file of plan.files) await write(root, file)
    terminal.out(`Wrote ${namesOf(plan.files)}.`)
  }
  terminal.out(['', 'Next:', ...plan.next].join('\n'))
}

async function chooseFramework({ frameworks }: Project, values: Values, { ask }: Terminal): Promise<string> {
  const all = Object.keys(starters)
  const { framework } = values
  if (framework !== undefined && !all.includes(framework))
    throw new UsageError(`--framework: expected ${all.join(', ')}, got ${framework}`)
  const [first = 'express', ...others] = frameworks
  if (framework !== undefined) return framework
  const isClear = frameworks.length > 0 && others.length === 0
  if (isClear || ask === undefined || values.yes === true) return first
  const found = frameworks.length > 0 ? frameworks : all
  for (;;) {
    const typed = (await ask(`Which framework, ${found.join(', ')}? [${first}] `, never)) ?? first
    if (typed.trim() === '') return first
    if (all.includes(typed.trim())) return typed.trim()
  }
}

/** Asks for confirmation. @throws UsageError without a terminal, and if the user says no */
async function confirmWrite(
  files: readonly PlannedFile[],
  framework: string,
  { yes }: Values,
  terminal: Terminal,
): Promise<void> {
  if (yes === true) return
  const question = `Write ${namesOf(files)} for ${framework}?`
  if (terminal.ask === undefined)
    throw new UsageError(`${question} There is no terminal to ask at: confirm with --yes`)
  const typed = await terminal.ask(`${question} [Y/n] `, never)
  if (typed === undefined || /^n/i.test(typed.trim())) throw new UsageError('Nothing was written.')
}

/** Writes a new file; never overwrites one. @throws LoadError */
async function write(root: string, { file, text }: PlannedFile): Promise<void> {
  await writeFile(path.join(root, file), text, { flag: 'wx' }).catch((error: Error) => {
    throw new LoadError(`${file} cannot be written: ${error.message}`)
  })
}

function namesOf(files: readonly PlannedFile[]): string {
  const names = files.map(({ file }) => file)
  return names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

const never: AbortSignal = new AbortController().signal
