/** What hostile servers, and people whose words pass through honest ones, might try on a page that shows them. */

import { McpRouter, result, ToolError } from 'mcp-router'
import { quiet } from '../../contract/host.js'

/** Each would set `taken`, open a dialog, or send something to another host. */
export const injections: readonly string[] = [
  '<script>window.taken = 1</script>',
  '"><img src=x onerror="window.taken = 1">',
  "'><svg onload=window.taken=1>",
  '<svg><script>window.taken=1</script></svg>',
  '<iframe srcdoc="<script>parent.taken=1</script>"></iframe>',
  '<iframe src="javascript:parent.taken=1"></iframe>',
  '<a href="javascript:window.taken=1" id="bait">click me</a>',
  '[click me](javascript:window.taken=1)',
  '[click me](  java\nscript:window.taken=1)',
  '[click me](&#106;avascript:window.taken=1)',
  '[click me](data:text/html;base64,PHNjcmlwdD53aW5kb3cudGFrZW49MTwvc2NyaXB0Pg==)',
  '![x](https://evil.example/pixel.png)',
  '<img src="https://evil.example/pixel.png" srcset="https://evil.example/2x.png 2x">',
  '<style>@import url(https://evil.example/all.css); body { display: none }</style>',
  '<div style="background: url(https://evil.example/x.png); position: fixed; inset: 0">over all of it</div>',
  '<link rel="stylesheet" href="https://evil.example/x.css"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<base href="https://evil.example/">',
  '<form action="https://evil.example/"><input name="q" autofocus onfocus="window.taken=1"></form>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.taken=1&gt;">',
  '<details open ontoggle="window.taken=1">x</details>',
  '<object data="javascript:window.taken=1"></object><embed src="javascript:window.taken=1">',
  '<video><source onerror="window.taken=1"></video>',
  '<template><script>window.taken=1</script></template><noscript><p title="</noscript><img src=x onerror=window.taken=1>">',
  '<p id="app">clobbered</p><img name="body"><form id="documentElement"></form>',
  '{{constructor.constructor("window.taken=1")()}}',
  '{"__proto__":{"taken":1},"constructor":{"prototype":{"taken":1}}}',
]

/** Image data that the router accepts. The test replaces it on the way to the page by data that it refuses to send. */
export const placeholder: string = btoa('replaced on the way')
export const notBase64 = 'x" onerror="window.taken=1'

export const everything: string = injections.join('\n\n')

/** A server that says it all, wherever a server can say something. */
export function hostile(): McpRouter<object> {
  const router = new McpRouter<object>({
    name: everything.slice(0, 200),
    title: injections[1],
    version: injections[0],
    instructions: everything,
    logger: quiet,
  })
  const input = {
    type: 'object',
    title: everything,
    description: everything,
    properties: {
      [injections[1] as string]: {
        type: 'string',
        title: injections[1],
        description: everything,
        default: injections[1],
      },
      choice: { enum: injections, description: everything },
      union: { anyOf: injections.map((title) => ({ title, type: 'string' })) },
      list: { type: 'array', items: { type: 'string', title: injections[2] }, default: [injections[1]] },
    },
  } as const
  router.tool('everything', {
    title: injections[1],
    description: everything,
    input,
    unknownArguments: 'pass',
    handler: (_, ctx) => {
      ctx.progress(1, 2, injections[1])
      ctx.log.warning(everything)
      return result({
        content: [
          { type: 'text', text: everything },
          {
            type: 'image',
            data: placeholder,
            mimeType: 'image/png" onerror="window.taken=1',
          },
          {
            type: 'image',
            data: btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="window.taken=1"/>'),
            mimeType: 'image/svg+xml',
          },
          { type: 'audio', data: btoa('x'), mimeType: 'audio/wav"><script>window.taken=1</script>' },
          {
            type: 'resource_link',
            uri: 'javascript:window.taken=1',
            name: injections[1] as string,
            description: everything,
          },
          {
            type: 'resource',
            resource: { uri: 'javascript:window.taken=1', mimeType: 'text/html', text: everything },
          },
          { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/markdown', text: everything } },
        ],
        structuredContent: { [injections[1] as string]: injections.map((text) => ({ [text]: text })) },
      })
    },
  })
  router.tool('refuses', {
    description: everything,
    handler: () => {
      throw new ToolError(everything)
    },
  })
  router.tool('asks', {
    description: everything,
    async handler(_, ctx) {
      const { action } = await ctx.elicit({
        message: everything,
        url: 'https://evil.example/"><script>window.taken=1</script>',
      })
      return action
    },
  })
  router.tool('samples', {
    description: everything,
    async handler(_, ctx) {
      await ctx.sample({
        systemPrompt: everything,
        messages: [{ role: 'user', content: { type: 'text', text: everything } }],
        maxTokens: 1,
        stopSequences: [...injections],
      })
    },
  })
  router.resource('a://page', {
    name: injections[1],
    description: everything,
    mimeType: 'text/markdown',
    text: everything,
  })
  router.prompt('says', { description: everything, handler: () => everything })
  return router
}
