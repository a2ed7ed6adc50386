/** A user with a schema library. */
import { z } from 'zod'
import { router } from './core.js'

router.tool('list', {
  input: z.object({
    status: z.enum(['open', 'done']).optional(),
    limit: z.number().int().max(100).default(20),
  }),
  output: z.object({ ids: z.array(z.string()), total: z.number() }),
  handler: async ({ status, limit }) => ({ ids: [status ?? 'any'], total: limit }),
})
