/** The table of all commands' options. */

export interface Option {
  /** The placeholder of the option's value in the help. Without it, the option is a flag. */
  readonly value?: string
  readonly multiple?: true
  readonly short?: string
  readonly help: string
}

/** The options of one command line, unparsed. */
export interface Values {
  readonly json?: boolean
  readonly 'fail-on'?: readonly string[]
  readonly header?: readonly string[]
  readonly token?: string
  readonly user?: string
  readonly 'log-level'?: string
  readonly timeout?: string
  readonly framework?: string
  readonly yes?: boolean
  readonly help?: boolean
  readonly version?: boolean
}

/** The command line after the command's name. */
export interface Input {
  readonly positionals: readonly string[]
  readonly values: Values
}

export const options: Readonly<Record<keyof Values, Option>> = {
  json: { help: 'print JSON, for programs' },
  'fail-on': {
    value: 'unguarded-write',
    multiple: true,
    help: 'exit with 1 if a tool that writes has no middleware that is known to check the caller; for modules',
  },
  header: {
    value: "'Name: value'",
    multiple: true,
    short: 'H',
    help: 'a header to send with every request; repeat it for more headers',
  },
  token: { value: 'token', help: 'short for --header "Authorization: Bearer token"' },
  user: { value: 'json', help: 'for modules: the caller, which handlers get as ctx.user' },
  'log-level': {
    value: 'level',
    help: 'the least severe log message to show: debug, info (default), notice, warning, error, …',
  },
  timeout: {
    value: 'seconds',
    help: 'for URLs: how long to wait for a response; every message of the server restarts the time (default 60; 0: no limit)',
  },
  framework: { value: 'name', help: 'express, fastify, koa or hono (default: from package.json)' },
  yes: { short: 'y', help: 'write without asking' },
  help: { short: 'h', help: 'show this help' },
  version: { short: 'v', help: 'show the version' },
}
