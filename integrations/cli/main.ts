/** The commands of `mcp-router`, apart from the process that they run in. */

import { parseArgs } from 'node:util'
import { list } from './list.js'
import { UsageError } from './load.js'

const usage = `Usage: mcp-router list <module> [--json] [--fail-on unguarded-write]

  <module>    a file that exports a router, or an app that one is mounted in
  --json      for machines
  --fail-on   exit with 1 where a tool that writes has nothing in front of it that is known to check the caller`

export interface Streams {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
}

/** Resolves to the exit code: 0, 1 for what \`--fail-on\` found, 2 for wrong use. Rejects with what the module throws. */
export async function main(args: readonly string[], { out, error }: Streams): Promise<number> {
  try {
    const { values, positionals } = parse(args)
    if (values.help === true) {
      out(usage)
      return 0
    }
    const [command, file, ...others] = positionals
    if (command !== 'list' || file === undefined || others.length > 0) throw new UsageError(usage)
    const { text, complaint } = await list(file, { json: values.json, failOn: values['fail-on'] })
    out(text)
    if (complaint !== undefined) error(complaint)
    return complaint === undefined ? 0 : 1
  } catch (problem) {
    if (!(problem instanceof UsageError)) throw problem
    error(problem.message)
    return 2
  }
}

interface Parsed {
  readonly values: {
    readonly json?: boolean
    readonly 'fail-on'?: string[]
    readonly help?: boolean
  }
  readonly positionals: readonly string[]
}

function parse(args: readonly string[]): Parsed {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        'fail-on': { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (problem) {
    throw new UsageError(`${(problem as Error).message}\n\n${usage}`)
  }
}
