/** The options of all commands. */

export interface Option {
  /** What stands behind it; none: it stands alone. */
  readonly value?: string
  readonly multiple?: true
  readonly short?: string
  readonly help: string
}

/** Values as they were given. */
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

/** What was typed behind a command's name. */
export interface Input {
  readonly positionals: readonly string[]
  readonly values: Values
}

export const options: Readonly<Record<keyof Values, Option>> = {
  json: { help: 'for programs: JSON on stdout' },
  'fail-on': {
    value: 'unguarded-write',
    multiple: true,
    help: 'exit with 1 where a tool that writes has nothing in front of it that is known to check the caller; for modules',
  },
  header: {
    value: "'Name: value'",
    multiple: true,
    short: 'H',
    help: 'goes along with every request; give it again for another one',
  },
  token: { value: 'token', help: 'short for --header "Authorization: Bearer token"' },
  user: { value: 'json', help: 'for modules: who calls, what handlers get as ctx.user' },
  'log-level': {
    value: 'level',
    help: 'the least severe log notice to show: debug, info (default), notice, warning, error, …',
  },
  timeout: {
    value: 'seconds',
    help: 'for URLs: how long a server may take to answer, counted again from every message (default 60; 0: no limit)',
  },
  framework: { value: 'name', help: 'express, fastify, koa or hono, instead of what package.json says' },
  yes: { short: 'y', help: 'write without asking' },
  help: { short: 'h', help: 'show this' },
  version: { short: 'v', help: 'show the version' },
}
