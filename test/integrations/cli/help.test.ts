/** What the command says of itself. */

import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { describe, expect, it, test } from 'vitest'
import { commands } from '../../../integrations/cli/commands.js'
import { main } from '../../../integrations/cli/main.js'
import { options } from '../../../integrations/cli/options.js'
import { run } from './binary.js'

async function say(...args: string[]) {
  const out: unknown[] = []
  const error: string[] = []
  const code = await main(args, {
    out: (text) => out.push(text),
    error: (text) => error.push(text),
    width: undefined,
    colour: false,
    input: Readable.from([]),
    ask: undefined,
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}

test('the binary says its version and its help', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
  expect(await say('--version')).toEqual({ code: 0, out: version, error: '' })
  expect(await run('--help')).toMatchObject({ code: 0, error: '' })
})

describe('help', () => {
  it('names every command and every exit code', async () => {
    const { code, out } = await say('--help')
    expect(code).toBe(0)
    for (const name of Object.keys(commands)) expect(out).toContain(`\n  ${name} `)
    for (const exit of [0, 1, 2, 3, 4, 130]) expect(out).toMatch(new RegExp(`^  ${exit} `, 'm'))
  })

  it.each(Object.keys(commands))('on %s names its options and shows examples', async (name) => {
    const { code, out } = await say(name, '--help')
    expect(code).toBe(0)
    expect(out).toBe((await say('help', name)).out)
    for (const option of commands[name]?.options ?? []) expect(out).toContain(`--${option}`)
    expect(out).toContain(`npx mcp-router ${name}`)
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(90)
  })

  it('is there for every option', () => {
    const used = new Set(['help', 'version', ...Object.values(commands).flatMap((one) => one.options)])
    expect(Object.keys(options).sort()).toEqual([...used].sort())
  })
})

describe('wrong use', () => {
  it.each([
    [[], 'Usage: mcp-router <command>'],
    [['lisst'], 'There is no command lisst; did you mean list?'],
    [['frobnicate'], 'there are list, call'],
    [['help', 'frobnicate'], 'there are list, call'],
    [['list'], 'An argument is missing. Usage: mcp-router list <app> [options]; see --help'],
    [['list', 'a', 'b'], 'Unexpected argument: b.'],
    [['list', 'a', '--jsn'], 'There is no option --jsn; did you mean --json? Usage'],
    [['list', 'a', '--frobnicate'], 'there are --json'],
    [['call', 'a', 'b', '--token'], '--token'],
    [['call', 'http://a', 'b', '--header', 'A: \u4e2d'], "--header: expected 'Name: value'"],
    [['call', 'http://', 'b'], 'Expected a URL such as'],
    [['call', 'http://ana:x@a', 'b'], "--header 'Authorization: Basic"],
    [['call', 'http://a', 'b', '--log-level', 'loud'], '--log-level: expected debug, info'],
    [['call', 'http://a', 'b', '--header', 'nothing'], "--header: expected 'Name: value', got nothing"],
  ])('%j', async (args, message) => {
    const { code, out, error } = await say(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toContain(message)
  })
})
