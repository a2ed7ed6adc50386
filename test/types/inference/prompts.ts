/** Prompt arguments, completion and messages. */
import { image, McpRouter, prompt, text } from 'mcp-router'
import { z } from 'zod'
import { is } from '../is.js'

const router = new McpRouter({ name: 'types', version: '1.0.0' })

router.prompt('none', {
  handler: (args) => {
    // biome-ignore lint/complexity/noBannedTypes: the type of absent arguments
    is<{}>()(args)
    return 'text'
  },
})
router.prompt('some', {
  input: z.object({ id: z.string(), count: z.coerce.number().optional() }),
  complete: { id: (typed) => [typed], count: () => ['1'] },
  handler: (args) => {
    is<{ id: string; count?: number | undefined }>()(args)
    return [
      { role: 'user', content: 'text' },
      { role: 'assistant', content: text('text') },
      { role: 'user', content: image(new Uint8Array(), 'image/png') },
    ]
  },
})
router.prompt('one', { handler: async () => ({ role: 'user', content: 'text' }) })
prompt({
  description: 'Standalone.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  complete: { id: () => [] },
  handler({ id }) {
    is<string>()(id)
    return id
  },
})
