/** The table of commands: their arguments, options, help texts and implementations. */

import type { Input, Values } from './options.js'
import type { Terminal } from './terminal/terminal.js'

/** Runs a command. Resolves to the exit code. */
export type Run = (input: Input, terminal: Terminal) => Promise<number>

export interface Command {
  /** The arguments in the usage line, after the command's name. */
  readonly usage: string
  readonly summary: string
  readonly about: string
  /** The least and the largest number of positional arguments. */
  readonly takes: readonly [number, number]
  readonly options: readonly (keyof Values)[]
  /** Example command lines with their descriptions. */
  readonly examples: readonly (readonly [string, string])[]
  readonly load: () => Promise<Run>
}

const aboutApp = `<app> is a module or a URL. A module, in JavaScript or TypeScript, exports a router, or an app that has one mounted. A URL
is the endpoint of any MCP server, of any revision.`

const requestOptions = ['header', 'token', 'user', 'json', 'log-level', 'timeout'] as const

export const commands: Readonly<Record<string, Command>> = {
  list: {
    usage: '<app>',
    summary: 'Show tools, resources and prompts, and what guards the routes behind them.',
    about: aboutApp,
    takes: [1, 1],
    options: ['json', 'fail-on', 'header', 'token', 'timeout'],
    examples: [
      ['list ./app.js', "what it exposes, and why the other routes aren't tools"],
      ['list ./app.ts --fail-on unguarded-write', 'for CI'],
      ['list http://localhost:3000/mcp --json', 'the lists of a server, with schemas'],
    ],
    load: async () => (await import('./commands/list.js')).runList,
  },
  call: {
    usage: '<app> <tool> [arguments…]',
    summary: 'Call a tool.',
    about: `${aboutApp}

Arguments are a JSON object, key=value (converted according to the tool's schema; key:=json is always JSON), @file
with a JSON object, or - for a JSON object on stdin. Later arguments override earlier ones. If the tool asks for input,
you're asked at the terminal; without a terminal the request is declined. Ctrl-C cancels the call.`,
    takes: [2, Number.POSITIVE_INFINITY],
    options: requestOptions,
    examples: [
      [`call ./app.js task_list '{"limit":3}'`, 'with JSON'],
      ['call ./app.js task_list status=open limit=3', 'with key=value'],
      [`call ./app.js task_list --user '{"id":"ana"}'`, 'as this user'],
      ['call https://api.example.com/mcp task_list --token "$TOKEN"', 'on a server, with a token'],
    ],
    load: async () => (await import('./commands/call.js')).runCall,
  },
  read: {
    usage: '<app> <uri>',
    summary: 'Read a resource.',
    about: `${aboutApp}\n\nBinary content is written unchanged if stdout is a file or a pipe.`,
    takes: [2, 2],
    options: requestOptions,
    examples: [
      ['read ./app.js task://7', 'as text'],
      ['read http://localhost:3000/mcp logo://large > logo.png', 'into a file'],
    ],
    load: async () => (await import('./commands/read.js')).runRead,
  },
  prompt: {
    usage: '<app> <name> [arguments…]',
    summary: 'Get a prompt.',
    about: `${aboutApp}\n\nArguments have the same form as for call; their values are sent as text.`,
    takes: [2, Number.POSITIVE_INFINITY],
    options: requestOptions,
    examples: [['prompt ./app.js summarise id=7', 'with an argument']],
    load: async () => (await import('./commands/prompt.js')).runPrompt,
  },
  stdio: {
    usage: '<module>',
    summary: 'Serve a module to a client that starts a process.',
    about: `The module exports a router, or an app that has one mounted. It is served on stdin and stdout to the client that
starts this command, until the client disconnects. Other output of the module goes to stderr, and the module's own port
is not used.`,
    takes: [1, 1],
    options: ['user'],
    examples: [
      ['stdio /path/to/app.js', 'the command in the settings of a client'],
      [`stdio ./app.js --user '{"id":"ana"}'`, 'as this user'],
    ],
    load: async () => (await import('./commands/stdio.js')).runStdio,
  },
  init: {
    usage: '',
    summary: 'Write a first router, and an app that serves it.',
    about: `Looks for express, fastify, koa or hono in package.json. Writes mcp.js with a router and an example tool, and app.js if
there is no app yet. Uses .ts if there is a tsconfig.json, and src if it exists. Asks before it writes, never
overwrites a file, and prints the next steps.`,
    takes: [0, 0],
    options: ['framework', 'yes'],
    examples: [
      ['init', 'asks before it writes'],
      ['init --yes', "doesn't ask"],
    ],
    load: async () => (await import('./commands/init.js')).runInit,
  },
}
