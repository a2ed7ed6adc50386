/** A user of the core alone, without any library. Compiled against the packed package, by old compilers too. */
import {
  type Accepted,
  type CallToolResult,
  type Context,
  type JsonSchema,
  McpRouter,
  type Parsed,
  type Prompt,
  prompt,
  type Resource,
  resource,
  result,
  type StandardSchemaV1,
  type Tool,
  ToolError,
  type ToolReturn,
  text,
  tool,
} from 'mcp-router'
import * as adapter from 'mcp-router/adapter'
import { testClient, textOf } from 'mcp-router/testing'

interface User {
  id: number
}

declare module 'mcp-router' {
  interface Register {
    user: User | undefined
    db: { find(id: string): string }
  }
}

export const router = new McpRouter({ name: 'consumer', version: '1.0.0' })

router.tool('find', {
  description: 'Finds.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  requireUser: true,
  handler: ({ id }, ctx) => ctx.db.find(`${id.trim()}${ctx.user.id.toFixed()}`),
})
router.resource('task://{id}', { handler: ({ id }, ctx) => ctx.db.find(id + ctx.uri) })
router.prompt('ask', { handler: () => 'text' })
router.use(async (call, next) => {
  call.ctx.log.info(call.name, call.ctx.user?.id)
  return next()
})

const upper: StandardSchemaV1<string, number> = {
  '~standard': { version: 1, vendor: 'consumer', validate: (value) => ({ value: Number(value) }) },
}
const parsed: Parsed<typeof upper> = 1
const accepted: Accepted<typeof upper> = '1'
const schema: JsonSchema = { type: 'object' }

export const one: Tool = tool({ input: schema, handler: (_input, ctx) => describe(ctx) })
export const two: Resource = resource('config://app', { text: `${parsed}${accepted}` })
export const three: Prompt = prompt({ handler: (_args, ctx) => ctx.db.find('') })
router.add({ one, two, three })

function describe(ctx: Context): ToolReturn {
  if (ctx.signal.aborted) throw new ToolError('too late')
  const whole: CallToolResult = result({ content: [text('a')] })
  return whole
}

export async function ask(): Promise<unknown> {
  const answer = await router.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { user: { id: 1 } })
  return [answer, Object.keys(adapter)]
}

export async function test(): Promise<string> {
  const client = testClient(router, { user: { id: 1 }, context: { db: { find: String } } })
  return textOf(await client.callTool('find', { id: client.protocolVersion }))
}
