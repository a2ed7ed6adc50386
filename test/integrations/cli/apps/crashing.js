/** An app that fails beside what is done with it. */

import { McpRouter } from '../../../../src/index.js'

export const router = new McpRouter({ name: 'crashing', version: '1.0.0' })
router.tool('crash', {
  description: 'Takes the process down.',
  handler: () => {
    setImmediate(() => {
      throw new Error('the pool is empty')
    })
    return new Promise(() => {})
  },
})
