/** Tasks: their schema and operations. Each operation is limited to one owner's tasks. */
import type { InArgs, Row } from '@libsql/client'
import createError from 'http-errors'
import { z } from 'zod'
import type { Db } from './db.js'

const Status = z.enum(['open', 'done'])
const Title = z.string().trim().min(1).max(200)
const Notes = z.string().max(5000)

export const Task = z.object({
  id: z.int(),
  title: z.string(),
  notes: z.string(),
  status: Status,
  created: z.iso.datetime(),
})
export const TaskList = z.object({ tasks: z.array(Task), total: z.int() })
export const TaskId = z.object({ id: z.coerce.number().int().positive() })
export const TaskFilter = z.object({
  status: Status.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})
export const NewTask = z.object({ title: Title, notes: Notes.default('') })
export const TaskChanges = z.object({
  title: Title.optional(),
  notes: Notes.optional(),
  status: Status.optional(),
})

export type Task = z.output<typeof Task>
export type Tasks = ReturnType<typeof createTasks>

export function createTasks(db: Db) {
  async function one(sql: string, args: InArgs): Promise<Task | undefined> {
    const { rows } = await db.execute({ sql, args })
    return rows[0] && toTask(rows[0])
  }

  function find(owner: number, id: number): Promise<Task | undefined> {
    return one('SELECT * FROM tasks WHERE owner = ? AND id = ?', [owner, id])
  }

  async function get(owner: number, id: number): Promise<Task> {
    return found(await find(owner, id))
  }

  /** Returns the newest tasks first, and the total number without the limit. */
  async function list(owner: number, { status, limit }: z.output<typeof TaskFilter>) {
    const where = 'owner = :owner AND (:status IS NULL OR status = :status)'
    const args = { owner, status: status ?? null }
    const page = await db.execute({
      sql: `SELECT * FROM tasks WHERE ${where} ORDER BY id DESC LIMIT :limit`,
      args: { ...args, limit },
    })
    const count = await db.execute({ sql: `SELECT count(*) AS total FROM tasks WHERE ${where}`, args })
    return { tasks: page.rows.map(toTask), total: Number(count.rows[0]?.total) }
  }

  async function create(owner: number, { title, notes }: z.output<typeof NewTask>): Promise<Task> {
    const sql = 'INSERT INTO tasks (owner, title, notes) VALUES (?, ?, ?) RETURNING *'
    return found(await one(sql, [owner, title, notes]))
  }

  async function update(owner: number, id: number, changes: z.output<typeof TaskChanges>): Promise<Task> {
    const { title = null, notes = null, status = null } = changes
    const sql = `UPDATE tasks
      SET title = coalesce(?, title), notes = coalesce(?, notes), status = coalesce(?, status)
      WHERE owner = ? AND id = ? RETURNING *`
    return found(await one(sql, [title, notes, status, owner, id]))
  }

  async function remove(owner: number, id: number): Promise<void> {
    found(await one('DELETE FROM tasks WHERE owner = ? AND id = ? RETURNING *', [owner, id]))
  }

  /** Returns the ids that begin with the given text, for completion. */
  async function idsStartingWith(owner: number, typed: string): Promise<string[]> {
    const { rows } = await db.execute({
      sql: 'SELECT id FROM tasks WHERE owner = ? AND substr(id, 1, length(?)) = ? ORDER BY id LIMIT 100',
      args: [owner, typed, typed],
    })
    return rows.map((row) => String(row.id))
  }

  return { find, get, list, create, update, remove, idsStartingWith }
}

function found(task: Task | undefined): Task {
  if (!task) throw createError(404, 'No such task')
  return task
}

function toTask(row: Row): Task {
  return Task.parse({ ...row })
}
