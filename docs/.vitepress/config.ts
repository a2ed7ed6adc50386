import { defineConfig } from 'vitepress'
import { outsideLinks } from './outside-links.js'
import { reference, sections, titleOf } from './pages.js'

export default defineConfig({
  title: 'mcp-router',
  description: 'An MCP server that lives inside the API you already run.',
  lang: 'en-GB',
  cleanUrls: true,
  // Pages are read on GitHub as well, and what looks like HTML in them is meant as text.
  markdown: { html: false, config: (md) => outsideLinks(md, process.env.DOCS_REPOSITORY) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Errors', link: '/codes' },
      { text: 'Reference', link: '/reference/mcp-router' },
    ],
    sidebar: [
      ...sections.map(({ text, pages }) => ({
        text,
        items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
      })),
      {
        text: 'Reference',
        collapsed: true,
        items: reference.map(({ text, page }) => ({ text, link: `/${page}` })),
      },
    ],
  },
})
