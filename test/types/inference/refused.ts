/** What must not compile, and why. */
import { McpRouter, prompt, resource, tool } from 'mcp-router'
import { z } from 'zod'

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const input = z.object({ id: z.string() })
const output = z.object({ total: z.number() })

// @ts-expect-error the option is called `input`
router.tool('option', { inputSchema: input, handler: () => '' })
// @ts-expect-error a tool needs a handler
router.tool('handler', { input })
// @ts-expect-error an absent input has no properties
router.tool('absent', { handler: ({ id }) => id })
// @ts-expect-error the schema has no such property
router.tool('unknown', { input, handler: ({ name }) => name })
// @ts-expect-error id is a string
router.tool('annotated', { input, handler: ({ id }: { id: number }) => id })
// @ts-expect-error a record of schemas is no schema
router.tool('shape', { input: { id: z.string() }, handler: () => '' })
// @ts-expect-error a Date is no schema
router.tool('date', { input: new Date(), handler: () => '' })
// @ts-expect-error a function is no schema
router.tool('function', { input: () => input, handler: () => '' })
// @ts-expect-error a bigint is no JSON
router.tool('bigint', { handler: () => 1n })
// @ts-expect-error total is a number
router.tool('wrong', { output, handler: () => ({ total: '1' }) })
// @ts-expect-error total is missing
router.tool('missing', { output, handler: () => ({}) })
// @ts-expect-error with `output` a block goes through result()
router.tool('block', { output, handler: () => ({ type: 'text', text: '' }) })
// @ts-expect-error with `output` there must be a result
router.tool('void', { output, handler: () => {} })
// @ts-expect-error no such hint
router.tool('hint', { annotations: { readonly: true }, handler: () => '' })
// @ts-expect-error no such capability
router.tool('needs', { needs: ['magic'], handler: () => '' })
// @ts-expect-error a name and a definition, not a definition alone
router.tool(tool({ handler: () => '' }))
// @ts-expect-error the standalone function takes no name in front
tool('name', { handler: () => '' })

// @ts-expect-error a template cannot be a text
router.resource('task://{id}', { text: '' })
// @ts-expect-error there is no such variable
router.resource('task://{id}', { handler: ({ name }) => name })
// @ts-expect-error there is no such variable to complete
router.resource('task://{id}', { complete: { name: () => [] }, handler: () => '' })
// @ts-expect-error an optional variable may be absent
router.resource('task://all{?q}', { handler: ({ q }) => q.length })
// @ts-expect-error a fixed resource has no variables to check
router.resource('config://app', { input, handler: () => '' })
// @ts-expect-error a fixed resource is listed by itself
router.resource('config://app', { list: () => [], handler: () => '' })
// @ts-expect-error two sources
router.resource('config://app', { text: '', handler: () => '' })
// @ts-expect-error no source
router.resource('config://app', {})
// @ts-expect-error a number is no content
router.resource('config://app', { handler: () => 1 })
// @ts-expect-error the URI comes first
resource({ uri: 'config://app', text: '' })

// @ts-expect-error there is no such argument to complete
router.prompt('complete', { input, complete: { name: () => [] }, handler: () => '' })
// @ts-expect-error no such role
router.prompt('role', { handler: () => ({ role: 'system', content: '' }) })
// @ts-expect-error a number is no message
prompt({ handler: () => 1 })

// @ts-expect-error a promise of a module, not the module
router.add(import('./prompts.js'))
// @ts-expect-error a class, not an instance
router.add(class Tools {})

// @ts-expect-error undeclared, the user is unknown
router.tool('user', { handler: (_input, ctx) => ctx.user.id })
// @ts-expect-error the context is what `Register` says, nothing else
router.tool('context', { handler: (_input, ctx) => ctx.db })
