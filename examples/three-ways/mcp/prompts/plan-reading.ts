import { prompt } from 'mcp-router'
import { z } from 'zod'

export default prompt({
  description: 'Plans what to read next.',
  input: z.object({ mood: z.string() }),
  handler: ({ mood }, ctx) =>
    `I am in the mood for something ${mood}. Which of these shall I read? ${ctx.shelf
      .list()
      .map(({ title }) => title)
      .join(', ')}`,
})
