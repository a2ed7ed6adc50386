// Checks a hand-written schema, after a bundler has put it into one file with the package.
import { McpRouter } from 'mcp-router'

const router = new McpRouter({ name: 'bundled', version: '1.0.0' })
const input = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
router.tool('double', { description: 'Doubles.', input, handler: ({ a }) => a * 2 })

async function main() {
  const [good, bad] = [await router.call('double', { a: 2 }), await router.call('double', { a: 'x' })]
  if (good.content[0].text !== '4' || bad.isError !== true) throw new Error(JSON.stringify([good, bad]))
}

void main()
