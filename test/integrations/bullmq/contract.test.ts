/** Tasks that BullMQ runs: the contract's part about tasks, on each framework. */

import type { RouterOptions } from 'mcp-router'
import { afterAll, beforeAll, describe } from 'vitest'
import { tasks } from '../../contract/core/tasks.js'
import { frameworks } from '../frameworks.js'
import { type Queues, queues } from './queues.js'

let all: Queues
beforeAll(async () => {
  all = await queues()
})
afterAll(() => all.stop())

for (const [name, host] of Object.entries(frameworks)) {
  describe(`${name}: tasks with BullMQ`, () => {
    tasks(host, (): RouterOptions => all.server())
  })
}
