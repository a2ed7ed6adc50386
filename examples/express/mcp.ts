/** The same tasks for AI clients: tools, resources and prompts, always as the signed-in user. */
import { McpRouter } from 'mcp-router'
import { log } from './log.js'
import { NewTask, Task, TaskChanges, TaskFilter, TaskId, TaskList, type Tasks } from './tasks.js'
import type { User } from './users.js'

declare module 'mcp-router' {
  interface Register {
    user: User
    tasks: Tasks
  }
}

export const router = new McpRouter({ name: 'task-api', version: '1.0.0', requireUser: true, logger: log })

router.tool('task_list', {
  description: 'List my tasks, newest first.',
  input: TaskFilter,
  output: TaskList,
  annotations: { readOnly: true },
  handler: (filter, ctx) => ctx.tasks.list(ctx.user.id, filter),
})

router.tool('task_create', {
  description: 'Add a task to my list.',
  input: NewTask,
  output: Task,
  annotations: { destructive: false },
  handler: (task, ctx) => ctx.tasks.create(ctx.user.id, task),
})

router.tool('task_update', {
  description: 'Change the title, notes or status of one of my tasks.',
  input: TaskId.extend(TaskChanges.shape),
  output: Task,
  annotations: { destructive: false, idempotent: true },
  handler: ({ id, ...changes }, ctx) => ctx.tasks.update(ctx.user.id, id, changes),
})

router.tool('task_delete', {
  description: 'Delete one of my tasks for good.',
  input: TaskId,
  annotations: { destructive: true, idempotent: true },
  async handler({ id }, ctx) {
    await ctx.tasks.remove(ctx.user.id, id)
    return `Task ${id} is deleted.`
  },
})

router.resource('task://{id}', {
  name: 'task',
  description: 'One of my tasks as markdown.',
  mimeType: 'text/markdown',
  input: TaskId,
  complete: { id: (typed, _chosen, ctx) => ctx.tasks.idsStartingWith(ctx.user.id, typed) },
  async list(ctx) {
    const { tasks } = await ctx.tasks.list(ctx.user.id, { limit: 100 })
    return tasks.map(({ id, title }) => ({ uri: `task://${id}`, name: title }))
  },
  async handler({ id }, ctx) {
    const task = await ctx.tasks.find(ctx.user.id, id)
    return task && toMarkdown(task)
  },
})

router.resource('user://me', {
  description: 'Who is signed in.',
  mimeType: 'application/json',
  handler: (_input, ctx) => JSON.stringify(ctx.user),
})

router.prompt('summarise', {
  description: 'Summarise one of my tasks.',
  input: TaskId,
  complete: { id: (typed, _chosen, ctx) => ctx.tasks.idsStartingWith(ctx.user.id, typed) },
  async handler({ id }, ctx) {
    const task = await ctx.tasks.get(ctx.user.id, id)
    return `Summarise this task in three bullets.\n\n${toMarkdown(task)}`
  },
})

function toMarkdown({ title, status, created, notes }: Task): string {
  return [`# ${title}`, `${status}, added on ${created.slice(0, 10)}`, notes].join('\n\n').trimEnd()
}
