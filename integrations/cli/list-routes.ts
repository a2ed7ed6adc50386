/** `mcp-router list` for modules: what an app exposes, and what guards its routes. */

import { labelText } from '../../src/internal.js'
import { UsageError } from './exit-codes.js'
import { load } from './load/load.js'
import { toTable } from './terminal/table.js'
import { sanitizedJson } from './terminal/terminal.js'

/** One item of the list, as `--json` prints it. */
interface Listed {
  readonly kind: string
  readonly name: string
  readonly description?: string | undefined
  readonly uri?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly constraints?: Readonly<Record<string, string>> | undefined
  readonly guards?: readonly string[] | undefined
  /** Why the guards can't be determined. */
  readonly guardsUnread?: string | undefined
  readonly checksCaller?: 'yes' | 'no' | 'unknown' | undefined
  readonly schemaSource?: string | undefined
  /** Parts of the request without a schema. */
  readonly undescribed?: readonly string[] | undefined
  /** Why a route isn't a tool. */
  readonly reason?: string | undefined
}

/** The conditions that `--fail-on` accepts. */
const failures: Readonly<Record<string, (line: Listed) => boolean>> = {
  'unguarded-write': ({ kind, method, checksCaller }) =>
    kind === 'tool' && method !== undefined && !['GET', 'HEAD'].includes(method) && checksCaller !== 'yes',
}

export interface ListOptions {
  readonly json?: boolean | undefined
  readonly failOn?: readonly string[] | undefined
  /** The width of the terminal in columns. */
  readonly width?: number | undefined
}

export interface Output {
  readonly text: string
  /** The message if a condition of `--fail-on` is met. */
  readonly failure: string | undefined
}

/** Lists what a module exposes. @throws UsageError for an unknown condition of `--fail-on`, and as `load` does */
export async function list(file: string, { json = false, failOn = [], width }: ListOptions): Promise<Output> {
  for (const name of failOn) {
    if (Object.hasOwn(failures, name)) continue
    throw new UsageError(`--fail-on: expected ${Object.keys(failures).join(' or ')}, got ${name}`)
  }
  const { router } = await load(file)
  const lines = router.list().map(({ kind, name, description, uri, route }): Listed => {
    const { tool: _, ...report } = route ?? {}
    return { kind, name, description, uri, ...report }
  })
  const failed = lines.filter((line) => failOn.some((name) => failures[name]?.(line) === true))
  return {
    text: json ? sanitizedJson(lines) : table(lines, width),
    failure: failed.length === 0 ? undefined : failureText(failed),
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
        locationOf(line),
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
        ['NOT A TOOL', 'REASON'],
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

/** Returns the route of a tool or the URI of a resource. */
function locationOf({ method = '', path, constraints, uri = '' }: Listed): string {
  return path === undefined ? uri : labelText(method, path, constraints)
}

function failureText(failed: readonly Listed[]): string {
  const lines = failed.map(
    ({ checksCaller, guards = [], guardsUnread, ...line }) =>
      `  ${line.name}: ${locationOf(line)}, checks the caller: ${checksCaller}, ${guardsUnread ?? `behind ${guards.join(', ') || 'nothing'}`}`,
  )
  return `These tools write, and no middleware in front of them is known to check the caller. Declare it with \`guards\`, or with \`guarded: true\` if the handler checks:\n${lines.join('\n')}`
}
