/** Builds the text of `--help` from the tables of commands and options. */

import { nearest } from '../../src/internal.js'
import { type Command, commands } from './commands.js'
import { exitCodes } from './exit-codes.js'
import { type Option, options, type Values } from './options.js'

const codes: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'success',
  failed: 'the tool failed, or --fail-on found something',
  usage: 'invalid command line',
  unreachable: 'the module cannot be loaded, or the server cannot be reached or sends an invalid response',
  refused: 'the server refuses, such as for an unknown tool or a caller without permission',
  cancelled: 'Ctrl-C',
}

export function help(): string {
  return [
    'Usage: mcp-router <command> …',
    section(
      'Commands',
      Object.entries(commands).map(([name, { usage, summary }]) => [`${name} ${usage}`.trimEnd(), summary]),
    ),
    section('Options', [optionLine('help', options.help), optionLine('version', options.version)]),
    section(
      'Exit codes',
      Object.entries(exitCodes).map(([name, code]) => [`${code}`, codes[name as keyof typeof codes]]),
    ),
    'Run mcp-router <command> --help for more.',
  ].join('\n\n')
}

export function helpFor(name: string, command: Command): string {
  const known: (keyof Values)[] = [...command.options, 'help']
  return [
    usageOf(name, command),
    command.summary,
    ...command.about.split('\n\n').map((text) => wrap(text, lineWidth).join('\n')),
    section(
      'Options',
      known.map((option) => optionLine(option, options[option])),
    ),
    ['Examples:', ...command.examples.map(([words, what]) => `  # ${what}\n  npx mcp-router ${words}`)].join(
      '\n',
    ),
  ].join('\n\n')
}

/** Returns the usage line of a command. */
export function usageOf(name: string, { usage }: Command): string {
  return `Usage: mcp-router ${[name, usage].filter((part) => part !== '').join(' ')} [options]`
}

/** Returns the message for an unknown command. */
export function unknownCommand(name: string): string {
  const near = nearest(name, Object.keys(commands))
  const hint = near === undefined ? `there are ${Object.keys(commands).join(', ')}.` : `did you mean ${near}?`
  return `There is no command ${name}; ${hint} Run mcp-router --help for more`
}

function optionLine(name: string, { short, value, help: text }: Option): [string, string] {
  return [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    text,
  ]
}

const lineWidth = 80

/** Formats two columns and wraps the second one. */
function section(title: string, lines: readonly (readonly [string, string])[]): string {
  const first = Math.max(...lines.map(([left]) => left.length)) + 2
  const wrapped = lines.map(([left, right]) => {
    const [head = '', ...more] = wrap(right, lineWidth - first - 2)
    return [`  ${left.padEnd(first)}${head}`, ...more.map((line) => ' '.repeat(first + 2) + line)].join('\n')
  })
  return [`${title}:`, ...wrapped].join('\n')
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s/)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
