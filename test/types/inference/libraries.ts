/** `input` and `output` of every schema library, in every way of writing a handler. */
import { type } from 'arktype'
import { McpRouter, tool } from 'mcp-router'
import * as v from 'valibot'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod3'
import { is } from '../is.js'

type Query = { id: string; limit: number }

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const description = 'A tool.'

const zod4 = z.object({ id: z.string(), limit: z.number().default(20) })
const zodMini = mini.object({ id: mini.string(), limit: mini._default(mini.number(), 20) })
const zod3 = z3.object({ id: z3.string(), limit: z3.number().default(20) })
const valibot = v.object({ id: v.string(), limit: v.optional(v.number(), 20) })
const arktype = type({ id: 'string', limit: 'number = 20' })

// Shorthand, arrow, handler first, handler between other options, as a standalone definition.
router.tool('zod4', {
  input: zod4,
  handler(input) {
    is<Query>()(input)
  },
})
router.tool('zod4', { description, input: zod4, handler: (input) => is<Query>()(input) })
router.tool('zod4', { handler: (input) => is<Query>()(input), input: zod4, description })
router.tool('zod4', { visible: () => true, handler: (input) => is<Query>()(input), input: zod4 })
tool({ description, input: zod4, handler: async (input) => is<Query>()(input) })

router.tool('mini', {
  input: zodMini,
  handler(input) {
    is<Query>()(input)
  },
})
router.tool('mini', { description, input: zodMini, handler: (input) => is<Query>()(input) })
router.tool('mini', { handler: (input) => is<Query>()(input), input: zodMini, description })
tool({ description, input: zodMini, handler: async (input) => is<Query>()(input) })

router.tool('zod3', {
  input: zod3,
  handler(input) {
    is<Query>()(input)
  },
})
router.tool('zod3', { description, input: zod3, handler: (input) => is<Query>()(input) })
router.tool('zod3', { handler: (input) => is<Query>()(input), input: zod3, description })
tool({ description, input: zod3, handler: async (input) => is<Query>()(input) })

router.tool('valibot', {
  input: valibot,
  handler(input) {
    is<Query>()(input)
  },
})
router.tool('valibot', { description, input: valibot, handler: (input) => is<Query>()(input) })
router.tool('valibot', { handler: (input) => is<Query>()(input), input: valibot, description })
tool({ description, input: valibot, handler: async (input) => is<Query>()(input) })

router.tool('arktype', {
  input: arktype,
  handler(input) {
    is<Query>()(input)
  },
})
router.tool('arktype', { description, input: arktype, handler: (input) => is<Query>()(input) })
router.tool('arktype', { handler: (input) => is<Query>()(input), input: arktype, description })
tool({ description, input: arktype, handler: async (input) => is<Query>()(input) })

// Without a schema, and with schemas written in place.
router.tool('none', {
  handler(input) {
    // biome-ignore lint/complexity/noBannedTypes: the type of an absent input
    is<{}>()(input)
  },
})
router.tool('inline', {
  input: z.object({ a: z.object({ b: z.array(z.enum(['x', 'y'])) }), c: z.string().transform(Number) }),
  handler: (input) => is<{ a: { b: ('x' | 'y')[] }; c: number }>()(input),
})
router.tool('spread', {
  ...{ description, title: 'Spread' },
  input: zod4,
  handler: ({ id, limit }) => `${id} ${limit.toFixed()}`,
})

// `visible` and `use` before the handler do not disturb it.
router.tool('order', {
  visible: (caller) => caller.user !== undefined,
  use: [async (_call, next) => next()],
  annotations: { readOnly: true },
  input: zod4,
  handler: (input, ctx) => {
    is<Query>()(input)
    is<AbortSignal>()(ctx.signal)
  },
})
