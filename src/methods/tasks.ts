/** The `tasks/…` methods, in the form of 2025-11-25 and in that of the extension for 2026-07-28. */

import { isVisible } from '../calls/invoke.js'
import { assertTaskExtension, type InputRequest } from '../client-requests/client-request.js'
import { sendServerRequest } from '../client-requests/server-request.js'
import { messageOf } from '../errors/classify-error.js'
import { ErrorCode, McpError, refusal } from '../errors/errors.js'
import type { Identity } from '../protocol/identity.js'
import { invalidParams, objectParam, stringParam } from '../protocol/params.js'
import type { Result } from '../protocol/types.js'
import { authorize } from '../request/authorize.js'
import { assertOwner, type Task, toDetailedTask, toLegacyTask } from '../tasks/task.js'
import type { MethodExchange } from './services.js'

const relatedTask = 'io.modelcontextprotocol/related-task'

export async function getTask(exchange: MethodExchange): Promise<{ result: Result }> {
  const task = await findTask(exchange)
  return { result: exchange.revision.tasks === 'core' ? toLegacyTask(task) : toDetailedTask(task) }
}

/** Delivers answers to a task's requests (extension). Unknown keys and second answers are ignored. */
export async function updateTask(exchange: MethodExchange): Promise<{ result: Result }> {
  const task = await findTask(exchange)
  const answers = objectParam(exchange.params, 'inputResponses')
  for (const key of Object.keys(answers)) objectParam(answers, key)
  await exchange.services.tasks.answer(task, answers)
  return { result: {} }
}

/** Cancels a task. For one that has ended, 2025-11-25 has an error and the extension acknowledges again. */
export async function cancelTask(exchange: MethodExchange): Promise<{ result: Result }> {
  const task = await findTask(exchange)
  const legacy = exchange.revision.tasks === 'core'
  const { tasks } = exchange.services
  const ended = task.end !== undefined || !(await tasks.end(task, { status: 'cancelled' }))
  // The process that runs the task may have missed the first cancellation.
  if (task.end !== undefined) await tasks.publishEnd(task.id, task.end)
  if (!legacy) return { result: {} }
  if (ended) throw invalidParams('the task has ended already', { taskId: task.id })
  return { result: toLegacyTask(await findTask(exchange)) }
}

/** Waits for the end of a task and meanwhile sends the task's requests to the client (2025-11-25). */
export async function taskResult(exchange: MethodExchange): Promise<{ result: Result }> {
  const first = await findTask(exchange)
  const ended = await exchange.withTimeout(`task ${first.id}`, 0, followTask(exchange, first))
  return { result: toOriginal(ended) }
}

async function followTask(exchange: MethodExchange, first: Task): Promise<Task> {
  const { tasks } = exchange.services
  let changed: () => void = () => {}
  const stop = await tasks.listen(first.id, () => changed())
  exchange.onEnd(() => changed())
  const asked = new Set<string>()
  try {
    while (!exchange.isOver) {
      const change = new Promise<void>((resolve) => {
        changed = resolve
      })
      const task = await tasks.find(first.id)
      if (task === undefined) throw unknownTask(first.id)
      if (task.end !== undefined) return task
      for (const [key, request] of Object.entries(task.inputRequests)) {
        if (!asked.has(key)) void askFor(exchange, task, { key, request })
        asked.add(key)
      }
      await change
    }
  } finally {
    stop()
  }
  throw unknownTask(first.id)
}

/** Sends one request of the task to the client. Never rejects: the task gets the client's refusal. */
async function askFor(
  exchange: MethodExchange,
  task: Task,
  { key, request }: { readonly key: string; readonly request: InputRequest },
): Promise<void> {
  const { tasks, inputTimeoutMs } = exchange.services
  const params = { ...request.params, _meta: { [relatedTask]: { taskId: task.id } } }
  try {
    const answer = await sendServerRequest(exchange, { ...request, params }, inputTimeoutMs)
    await tasks.answer(task, { [key]: answer })
  } catch (error) {
    // Another `tasks/result` may still get the answer, unless the client sent an invalid one.
    if (exchange.isOver) return
    await tasks.refuse(task, key, messageOf(error)).catch(() => {})
  }
}

/** Returns the result that the call itself would have had. */
function toOriginal({ id, end }: Task): Result {
  if (end?.error !== undefined) {
    const { code, message, data } = end.error
    throw new McpError(code, message, data, undefined, true)
  }
  if (end?.result === undefined)
    throw refusal(ErrorCode.InvalidRequest, 'The task was cancelled', { data: { taskId: id } })
  const { result } = end
  return { ...result, _meta: { ...result._meta, [relatedTask]: { taskId: id } } }
}

async function findTask(exchange: MethodExchange): Promise<Task> {
  if (exchange.revision.tasks === 'extension') assertTaskExtension(exchange, exchange.request.method)
  const id = stringParam(exchange.params, 'taskId')
  const task = await exchange.services.tasks.find(id)
  if (task === undefined) throw unknownTask(id)
  const identity = await exchange.resolveCaller()
  if (!mayFollow(exchange, identity, task)) throw unknownTask(id)
  return task
}

/** Whether a task is visible to the caller. Throws for another caller's task and for missing scopes. */
export function mayFollow(exchange: MethodExchange, identity: Identity, task: Task): boolean {
  assertOwner(exchange, task)
  const served = exchange.services.registry.catalog().tool.byKey.get(task.tool)
  if (served === undefined) return true
  if (!isVisible(served.entry, exchange, identity)) return false
  authorize(served.entry, exchange, identity)
  return true
}

function unknownTask(taskId: string): McpError {
  return invalidParams('there is no such task: it is unknown or expired', { taskId })
}
