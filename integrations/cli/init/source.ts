/** The text of the files that `init` writes. */

import type { Import, Starter } from './starters.js'

export interface Style {
  readonly isTypeScript: boolean
  /** Whether to write `import` rather than `require`. */
  readonly isModule: boolean
}

/** Returns the source of the router, with one example tool. */
export function routerSource(app: { readonly name: string; readonly version: string }, style: Style): string {
  return lines([
    '// The MCP server (https://modelcontextprotocol.io). Add your tools, resources and prompts here.',
    imported({ from: 'mcp-router', names: ['McpRouter'] }, style),
    '',
    `${exporting(style)}const router = new McpRouter({ name: ${quoted(app.name)}, version: ${quoted(app.version)} })`,
    '',
    "router.tool('hello', {",
    "  description: 'Says hello.',",
    '  input: {',
    "    type: 'object',",
    "    properties: { name: { type: 'string', description: 'Whom to greet.' } },",
    "    required: ['name'],",
    '  },',
    `  handler: ({ name }) => \`Hello \${name}!\`,`,
    '})',
    ...exported('router', style),
  ])
}

/** Returns the source of an app that serves the router. */
export function appSource({ imports, make, mount, listen }: Starter, style: Style): string {
  return lines([
    ...imports.map((statement) => imported(statement, style)),
    imported({ from: './mcp.js', names: ['router'] }, style),
    '',
    `${exporting(style)}const app = ${make}`,
    '',
    ...mount,
    '',
    'const port = Number(process.env.PORT ?? 3000)',
    ...listen,
    ...exported('app', style),
  ])
}

/** Returns the lines to add to an existing app. */
export function linesFor({ imports, mount }: Starter, style: Style): string[] {
  const own = imports.filter(({ from }) => from.startsWith('mcp-router/'))
  const needed: Import[] = [...own, { from: './mcp.js', names: ['router'] }]
  return [...needed.map((statement) => imported(statement, style)), ...mount]
}

function imported({ from, main, names }: Import, { isModule, isTypeScript }: Style): string {
  const what = main ?? `{ ${names?.join(', ')} }`
  // Compilers turn `import` into `require` if the package needs it.
  const path = quoted(from)
  return isModule || isTypeScript ? `import ${what} from ${path}` : `const ${what} = require(${path})`
}

function exporting({ isModule, isTypeScript }: Style): string {
  return isModule || isTypeScript ? 'export ' : ''
}

function exported(name: string, { isModule, isTypeScript }: Style): string[] {
  return isModule || isTypeScript ? [] : ['', `module.exports = { ${name} }`]
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, ' ')}'`
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
