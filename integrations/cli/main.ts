/** Parses the command line and runs the command, independently of the process. */

import { parseArgs } from 'node:util'
import { nearest } from '../../src/internal.js'
import { type Command, commands } from './commands.js'
import { exitCodes, outcomeOf, UsageError } from './exit-codes.js'
import { help, helpFor, unknownCommand, usageOf } from './help.js'
import { type Input, options, type Values } from './options.js'
import { sanitize, type Terminal } from './terminal/terminal.js'
import { packageVersion } from './version.js'

/** Runs a command line. Resolves to the exit code. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal)
  } catch (error) {
    const { code, text } = outcomeOf(error)
    terminal.error(sanitize(text))
    return code
  }
}

async function run([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined) throw new UsageError(help())
  if (!Object.hasOwn(commands, name)) return runAlone(name, rest, terminal)
  const command = commands[name] as Command
  const input = parse(name, command, rest)
  if (input.values.help === true) {
    terminal.out(helpFor(name, command))
    return exitCodes.ok
  }
  const [least, most] = command.takes
  const { length } = input.positionals
  if (length < least || length > most) {
    const problem =
      length < least ? 'An argument is missing' : `Unexpected argument: ${input.positionals[most]}`
    throw new UsageError(`${problem}. ${usageHint(name, command)}`)
  }
  return (await command.load())(input, terminal)
}

/** Handles `--version`, `--help` and `help`, which need no command. */
function runAlone(name: string, rest: readonly string[], terminal: Terminal): number {
  if (['--version', '-v'].includes(name)) terminal.out(packageVersion())
  else if (['--help', '-h', 'help'].includes(name)) terminal.out(helpOn(rest[0]))
  else throw new UsageError(unknownCommand(name))
  return exitCodes.ok
}

function helpOn(name: string | undefined): string {
  if (name === undefined) return help()
  if (!Object.hasOwn(commands, name)) throw new UsageError(unknownCommand(name))
  return helpFor(name, commands[name] as Command)
}

function parse(name: string, command: Command, args: readonly string[]): Input {
  const known: (keyof Values)[] = [...command.options, 'help']
  const table = known.map((option) => {
    const { value, multiple = false, short } = options[option]
    const type = value === undefined ? 'boolean' : 'string'
    return [option, { type, multiple, ...(short !== undefined && { short }) }] as const
  })
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: Object.fromEntries(table) }) as Input
  } catch (problem) {
    const { code, message } = problem as Error & { code?: string }
    const text = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? unknownOption(message, known) : `${message}.`
    throw new UsageError(`${text} ${usageHint(name, command)}`)
  }
}

function unknownOption(message: string, known: readonly string[]): string {
  const typed = /'(-[^']*)'/.exec(message)?.[1] ?? 'like that'
  const near = nearest(typed.replace(/^-+/, ''), known)
  const hint = near === undefined ? `there are --${known.join(', --')}.` : `did you mean --${near}?`
  return `There is no option ${typed}; ${hint}`
}

function usageHint(name: string, command: Command): string {
  return `${usageOf(name, command)}; see --help`
}
