import { resource } from 'mcp-router'
import { z } from 'zod'

export default resource({
  description: 'One book.',
  mimeType: 'application/json',
  input: z.object({ id: z.coerce.number() }),
  handler({ id }, ctx) {
    const book = ctx.shelf.find(id)
    return book && JSON.stringify(book)
  },
})
