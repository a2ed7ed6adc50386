/** `mcp-router list`: what an app exposes, and how well it is guarded. */

import { labelText } from '../../src/internal.js'
import { UsageError } from './exit-codes.js'
import { load } from './load/load.js'
import { toTable } from './terminal/table.js'
import { harmlessJson } from './terminal/terminal.js'

/** One line of the answer, as `--json` prints it. */
interface Listed {
  readonly kind: string
  readonly name: string
  readonly description?: string | undefined
  readonly uri?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly constraints?: Readonly<Record<string, string>> | undefined
  readonly guards?: readonly string[] | undefined
  /** Why nobody here can tell them. */
  readonly guardsUnread?: string | undefined
  readonly checksCaller?: 'yes' | 'no' | 'unknown' | undefined
  readonly schemaSource?: string | undefined
  /** Parts of the request that nothing describes. */
  readonly undescribed?: readonly string[] | undefined
  /** Why a route is no tool. */
  readonly reason?: string | undefined
}

/** What `--fail-on` may name, and the lines that it is about. */
const failures: Readonly<Record<string, (line: Listed) => boolean>> = {
  'unguarded-write': ({ kind, method, checksCaller }) =>
    kind === 'tool' && method !== undefined && !['GET', 'HEAD'].includes(method) && checksCaller !== 'yes',
}

export interface ListOptions {
  readonly json?: boolean | undefined
  readonly failOn?: readonly string[] | undefined
  /** Columns that the table may take. */
  readonly width?: number | undefined
}

export interface Output {
  readonly text: string
  /** For people: what failed. */
  readonly complaint: string | undefined
}

/** @throws UsageError for what `--fail-on` does not know, and as `load` does. */
export async function list(file: string, { json = false, failOn = [], width }: ListOptions): Promise<Output> {
  for (const name of failOn) {
    if (Object.hasOwn(failures, name)) continue
    throw new UsageError(`--fail-on: expected ${Object.keys(failures).join(' or ')}, got ${name}`)
  }
  const { router } = await load(file)
  const lines = router.list().map(({ kind, name, description, uri, route }): Listed => {
    const { tool: _, ...posture } = route ?? {}
    return { kind, name, description, uri, ...posture }
  })
  const failed = lines.filter((line) => failOn.some((name) => failures[name]?.(line) === true))
  return {
    text: json ? harmlessJson(lines) : table(lines, width),
    complaint: failed.length === 0 ? undefined : complaintOf(failed),
  }
}

function table(lines: readonly Listed[], width: number | undefined): string {
  const tools = lines.filter(({ kind }) => kind !== 'route')
  const others = lines.filter(({ kind }) => kind === 'route')
  const sections = [
    toTable(
      ['KIND', 'NAME', 'ROUTE', 'GUARDS', 'CHECKS CALLER', 'SCHEMA', 'DESCRIPTION'],
      tools.map((line) => [
        line.kind,
        line.name,
        placeOf(line),
        line.guardsUnread ?? line.guards?.join(', ') ?? '',
        line.checksCaller ?? '',
        schemaOf(line),
        line.description ?? '',
      ]),
      { width },
    ),
  ]
  if (others.length > 0) {
    sections.push(
      toTable(
        ['NO TOOL', 'REASON'],
        others.map(({ name, reason = '' }) => [name, reason]),
        { width },
      ),
    )
  }
  return sections.join('\n\n')
}

function schemaOf({ schemaSource = '', undescribed = [] }: Listed): string {
  return undescribed.length === 0 ? schemaSource : `${schemaSource}; ${undescribed.join(' and ')} unknown`
}

/** The route of a tool, the address of a resource. */
function placeOf({ method = '', path, constraints, uri = '' }: Listed): string {
  return path === undefined ? uri : labelText(method, path, constraints)
}

function complaintOf(failed: readonly Listed[]): string {
  const lines = failed.map(
    ({ checksCaller, guards = [], guardsUnread, ...line }) =>
      `  ${line.name}: ${placeOf(line)}, checks the caller: ${checksCaller}, ${guardsUnread ?? `behind ${guards.join(', ') || 'nothing'}`}`,
  )
  return `These tools write, and nothing in front of them is known to check the caller (\`guards\` names what does, \`guarded: true\` says that the handler does):\n${lines.join('\n')}`
}
