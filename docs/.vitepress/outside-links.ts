/** Links of pages to examples, tests and sources, which are in the repository and not on the site. */

import type { MarkdownRenderer } from 'vitepress'

/** Leads them to `repository` (such as https://github.com/you/mcp-router/blob/main/); without one their text says where. */
export function outsideLinks(md: MarkdownRenderer, repository: string | undefined): void {
  md.core.ruler.push('outside-links', ({ tokens }) => {
    for (const { children } of tokens) {
      let open: Token | undefined
      for (const token of children ?? []) {
        const [, path] = /^\.\.\/(.*)$/.exec(token.attrGet('href') ?? '') ?? []
        if (token.type === 'link_open' && path !== undefined) {
          if (repository !== undefined) token.attrSet('href', new URL(path, repository).href)
          else open = asText(token, path)
        } else if (token.type === 'link_close' && open !== undefined) {
          asText(token)
          open = undefined
        }
      }
    }
  })
}

function asText(token: Token, path?: string): Token {
  token.type = path === undefined ? 'em_close' : 'em_open'
  token.tag = 'em'
  token.attrs = path === undefined ? null : [['title', path]]
  return token
}

interface Token {
  type: string
  tag: string
  attrs: [string, string][] | null
}
