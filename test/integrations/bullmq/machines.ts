/** Machines of one server, by hand: requests in, answers out, as a client of 2026-07-28 that takes tasks. */

import { type Caller, McpRouter, type RouterOptions } from 'mcp-router'
import { expect, onTestFinished, vi } from 'vitest'
import type { Json } from '../../contract/client.js'
import { quiet } from '../../contract/host.js'

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

export interface Machine {
  readonly router: McpRouter<object>
  ask(method: string, params: object): Promise<Json>
  /** The id of the task that the call is answered with. */
  start(name: string, args?: object): Promise<string>
  /** Waits until the task has this status, and gives it. */
  until(taskId: string, status: string): Promise<Json>
  answer(taskId: string, content: object): Promise<void>
}

/** It serves calls and runs tasks, as its options say; closed with the test. */
export async function machine(
  options: RouterOptions,
  add: (router: McpRouter<object>) => unknown,
  caller: Caller<object> = {},
): Promise<Machine> {
  const router = new McpRouter<object>({ name: 'machines', version: '1.0.0', logger: quiet, ...options })
  onTestFinished(() => router.close({ drainMs: 0 }))
  add(router)
  await router.ready()
  const ask = async (method: string, params: object): Promise<Json> =>
    router.handle({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }, caller)
  const until = (taskId: string, status: string): Promise<Json> =>
    vi.waitFor(
      async () => {
        const { result } = await ask('tasks/get', { taskId })
        expect(result?.status).toBe(status)
        return result
      },
      { interval: 10, timeout: 15_000 },
    )
  return {
    router,
    ask,
    until,
    async start(name, args = {}) {
      const { result } = await ask('tools/call', { name, arguments: args })
      expect(result).toMatchObject({ resultType: 'task' })
      return result.taskId
    },
    async answer(taskId, content) {
      const { inputRequests } = await until(taskId, 'input_required')
      const answers = Object.keys(inputRequests).map((key) => [key, { action: 'accept', content }])
      await ask('tasks/update', { taskId, inputResponses: Object.fromEntries(answers) })
    },
  }
}
