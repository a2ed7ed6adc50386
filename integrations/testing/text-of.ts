/** The text of a result, for assertions. */

import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../../src/internal.js'

/** The texts of a result, one a line: text blocks and embedded texts of a tool, contents, messages. */
export function textOf(result: CallToolResult | ReadResourceResult | GetPromptResult): string {
  if ('contents' in result) return lines(result.contents.map(({ text }) => text))
  const blocks = 'messages' in result ? result.messages.map(({ content }) => content) : result.content
  return lines(
    blocks.map((block) => {
      if (block.type === 'text') return block.text
      return block.type === 'resource' ? block.resource.text : undefined
    }),
  )
}

function lines(texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join('\n')
}
