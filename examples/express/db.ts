/** The database: libSQL in a file, with two users and a few tasks to start with. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, createClient } from '@libsql/client'
import { hashPassword } from './users.js'

export type Db = Client

export const ana = {
  name: 'ana',
  password: 'ana-likes-lists',
  tasks: ['Water the plants', 'Book the train to Porto', 'Call the dentist'],
}
export const ben = {
  name: 'ben',
  password: 'ben-likes-bikes',
  tasks: ['Fix the back wheel', 'Return the library books'],
}

/** Opens `DATABASE_URL`, or a new file that is deleted when the process ends. */
export async function openDatabase(): Promise<Db> {
  const db = createClient({ url: process.env.DATABASE_URL ?? temporaryFile() })
  await db.executeMultiple(`
    CREATE TABLE IF NOT EXISTS users (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      password TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS tasks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      owner INTEGER NOT NULL REFERENCES users (id),
      title TEXT NOT NULL,
      notes TEXT NOT NULL DEFAULT '',
      status TEXT NOT NULL DEFAULT 'open',
      created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ'))
    );
    CREATE INDEX IF NOT EXISTS tasks_by_owner ON tasks (owner, id);
  `)
  const { rows } = await db.execute('SELECT 1 FROM users LIMIT 1')
  if (rows.length === 0) await seed(db)
  return db
}

async function seed(db: Db): Promise<void> {
  for (const { name, password, tasks } of [ana, ben]) {
    const user = await db.execute({
      sql: 'INSERT INTO users (name, password) VALUES (?, ?) RETURNING id',
      args: [name, await hashPassword(password)],
    })
    const owner = user.rows[0]?.id ?? null
    await db.batch(
      tasks.map((title) => ({ sql: 'INSERT INTO tasks (owner, title) VALUES (?, ?)', args: [owner, title] })),
    )
  }
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'task-api-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return pathToFileURL(join(folder, 'tasks.db')).href
}
