/** Links of pages to examples, tests and sources, which are in the repository and not on the site. */

import type { MarkdownRenderer } from 'vitepress'

/** Leads them to `repository` (such as https://github.com/you/mcp-router/blob/main/), or leaves their text alone. */
export function outsideLinks(md: MarkdownRenderer, repository: string | undefined): void {
  md.core.ruler.push('outside-links', ({ tokens }) => {
    for (const { children } of tokens) {
      let open: { hidden: boolean } | undefined
      for (const token of children ?? []) {
        const [, path] = /^\.\.\/(.*)$/.exec(token.attrGet('href') ?? '') ?? []
        if (token.type === 'link_open' && path !== undefined) {
          if (repository !== undefined) token.attrSet('href', new URL(path, repository).href)
          else open = asText(token)
        } else if (token.type === 'link_close' && open !== undefined) {
          asText(token)
          open = undefined
        }
      }
    }
  })
}

function asText(token: { type: string; tag: string; attrs: unknown; nesting: number; hidden: boolean }) {
  token.type = token.nesting === 1 ? 'em_open' : 'em_close'
  token.tag = 'em'
  token.attrs = null
  return token
}
