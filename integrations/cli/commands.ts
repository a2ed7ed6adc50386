/** The commands, as data: what they take, what their help says, and where they are. */

import type { Input, Values } from './options.js'
import type { Terminal } from './terminal/terminal.js'

/** Resolves to the exit code. */
export type Run = (input: Input, terminal: Terminal) => Promise<number>

export interface Command {
  /** Behind its name. */
  readonly usage: string
  readonly summary: string
  readonly about: string
  /** What stands before the options: the fewest and the most. */
  readonly takes: readonly [number, number]
  readonly options: readonly (keyof Values)[]
  /** What to type, and what it does. */
  readonly examples: readonly (readonly [string, string])[]
  readonly load: () => Promise<Run>
}

const anywhere = `<app> is a module or a URL. A module, in JavaScript or TypeScript, exports a router or an app that one is mounted in. A URL
is the endpoint of any MCP server, whatever revision it speaks.`

const asking = ['header', 'token', 'user', 'json', 'log-level', 'timeout'] as const

export const commands: Readonly<Record<string, Command>> = {
  list: {
    usage: '<app>',
    summary: 'Show tools, resources and prompts, and what guards the routes behind them.',
    about: anywhere,
    takes: [1, 1],
    options: ['json', 'fail-on', 'header', 'token', 'timeout'],
    examples: [
      ['list ./app.js', 'what it exposes, and why each other route is no tool'],
      ['list ./app.ts --fail-on unguarded-write', 'for CI'],
      ['list http://localhost:3000/mcp --json', 'what a server shows, with the schemas'],
    ],
    load: async () => (await import('./commands/list.js')).runList,
  },
  call: {
    usage: '<app> <tool> [arguments…]',
    summary: 'Call a tool.',
    about: `${anywhere}

Arguments are a JSON object, key=value (converted as the tool's schema says; key:=json is JSON in any case), @file
with a JSON object in it, or - for one on stdin; later ones win. What the tool asks is asked here; without a terminal
the answer is no. Ctrl-C cancels the call.`,
    takes: [2, Number.POSITIVE_INFINITY],
    options: asking,
    examples: [
      [`call ./app.js task_list '{"limit":3}'`, 'with JSON'],
      ['call ./app.js task_list status=open limit=3', 'the same by key'],
      [`call ./app.js task_list --user '{"id":"ana"}'`, 'as this user'],
      ['call https://api.example.com/mcp task_list --token "$TOKEN"', 'on a server, with a token'],
    ],
    load: async () => (await import('./commands/call.js')).runCall,
  },
  read: {
    usage: '<app> <uri>',
    summary: 'Read a resource.',
    about: `${anywhere}\n\nBytes are written as they are where stdout is a file or a pipe.`,
    takes: [2, 2],
    options: asking,
    examples: [
      ['read ./app.js task://7', 'as text'],
      ['read http://localhost:3000/mcp logo://large > logo.png', 'into a file'],
    ],
    load: async () => (await import('./commands/read.js')).runRead,
  },
  prompt: {
    usage: '<app> <name> [arguments…]',
    summary: 'Get a prompt.',
    about: `${anywhere}\n\nArguments are given as to call; they travel as text.`,
    takes: [2, Number.POSITIVE_INFINITY],
    options: asking,
    examples: [['prompt ./app.js summarise id=7', 'with an argument']],
    load: async () => (await import('./commands/prompt.js')).runPrompt,
  },
  stdio: {
    usage: '<module>',
    summary: 'Serve a module to a client that starts a process.',
    about: `The module exports a router or an app that one is mounted in. It is served to the client that starts this
command, on stdin and stdout, until the client leaves; whatever else the module prints goes to stderr, and no port
of its own is taken.`,
    takes: [1, 1],
    options: ['user'],
    examples: [
      ['stdio /path/to/app.js', 'what a client is told to start'],
      [`stdio ./app.js --user '{"id":"ana"}'`, 'as this user'],
    ],
    load: async () => (await import('./commands/stdio.js')).runStdio,
  },
  init: {
    usage: '',
    summary: 'Write a first router, and an app that serves it.',
    about: `Looks for express, fastify, koa or hono in package.json and writes mcp.js with a router and a tool to try, and app.js where
there is no app yet; .ts where there is a tsconfig.json; in src where there is one. Asks before it writes, and never
writes over a file. Says what comes next.`,
    takes: [0, 0],
    options: ['framework', 'yes'],
    examples: [
      ['init', 'asks what it does not know'],
      ['init --yes', 'does not'],
    ],
    load: async () => (await import('./commands/init.js')).runInit,
  },
}
