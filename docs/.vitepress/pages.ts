/** The pages of the site, in the order in which somebody who is new reads them. A test checks that none is missing. */

import { readFileSync } from 'node:fs'

export interface Section {
  readonly text: string
  /** Files below docs/, without their ending. Each is called what its heading says. */
  readonly pages: readonly string[]
}

export const sections: readonly Section[] = [
  { text: 'Begin', pages: ['start', 'converting', 'deploying', 'limits'] },
  { text: 'Define', pages: ['definitions', 'context', 'conversation', 'router', 'files', 'services'] },
  { text: 'Mount', pages: ['mounting', 'fastify', 'koa', 'node', 'fetch', 'bare', 'stdio', 'websocket'] },
  { text: 'Your API', pages: ['routes', 'auth', 'logins'] },
  {
    text: 'Run',
    pages: ['testing', 'explorer', 'errors', 'codes', 'observability', 'cluster', 'command-line'],
  },
  {
    text: 'Migrate',
    pages: [
      'migrating',
      'migrating-sdk',
      'migrating-fastmcp',
      'migrating-express-mcp-handler',
      'migrating-fastapi-mcp',
    ],
  },
  {
    text: 'Coming from',
    pages: [
      'coming-from',
      'coming-from-alepha',
      'coming-from-aidex',
      'coming-from-clovejs',
      'coming-from-bare',
    ],
  },
]

const root = new URL('../../', import.meta.url)

/** What package.json exports, as it is imported, with the page that is made of its docstrings. */
export const reference: readonly { readonly text: string; readonly page: string }[] = Object.keys(
  (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { exports: object }).exports,
)
  .filter((entry) => entry !== './package.json')
  .map((entry) => ({
    text: entry.replace(/^\./, 'mcp-router'),
    page: `reference/${entry === '.' ? 'mcp-router' : entry.slice('./'.length)}`,
  }))

/** What a page is called. */
export function titleOf(page: string): string {
  const [, title = page] = /^# (.*)$/m.exec(readFileSync(new URL(`docs/${page}.md`, root), 'utf8')) ?? []
  return title
}
