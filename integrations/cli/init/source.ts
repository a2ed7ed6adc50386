/** The text of the files that `init` writes. */

import type { Import, Starter } from './starters.js'

export interface Style {
  readonly isTypeScript: boolean
  /** `import`, and not `require`. */
  readonly isModule: boolean
}

/** The router, with one tool to try. */
export function routerSource(app: { readonly name: string; readonly version: string }, style: Style): string {
  return lines([
    '// What a model may do: https://modelcontextprotocol.io. Add your tools, resources and prompts here.',
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

/** An app that serves it. */
export function appSource({ imports, make, mount, listen }: Starter, style: Style): string {
  return lines([
    ...imports.map((one) => imported(one, style)),
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

/** What an app that is there already needs. */
export function linesFor({ imports, mount }: Starter, style: Style): string[] {
  const own = imports.filter(({ from }) => from.startsWith('mcp-router/'))
  const needed: Import[] = [...own, { from: './mcp.js', names: ['router'] }]
  return [...needed.map((one) => imported(one, style)), ...mount]
}

function imported({ from, main, names }: Import, { isModule, isTypeScript }: Style): string {
  const what = main ?? `{ ${names?.join(', ')} }`
  // Compilers make of it what the package wants.
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
