/** An app that prints wherever it can, and listens. */

import { writeSync } from 'node:fs'
import express from 'express'
import { pino } from 'pino'
import { asTool, mcp } from '../../../../integrations/express/index.js'
import { McpRouter } from '../../../../src/index.js'

console.log('loud: console')
process.stdout.write('loud: stdout\n')
writeSync(1, 'loud: descriptor\n')
const logger = pino()
logger.info('loud: pino')

export const app = express()
const router = new McpRouter({ name: 'loud', version: '1.0.0', logger })
router.tool('say', {
  description: 'Prints.',
  handler: (_, ctx) => {
    console.log('loud: call')
    process.stdout.write('loud: call\n')
    return { user: ctx.user }
  },
})
app.use(mcp(router))
app.get('/orders/:id', asTool({ description: 'One order.' }), (req, res) => res.json({ id: req.params.id }))
app.listen(80, () => console.log('loud: listening'))
