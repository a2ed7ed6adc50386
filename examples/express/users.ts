/** Users and their passwords, stored as `salt:key` of scrypt. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Db } from './db.js'

export interface User {
  id: number
  name: string
}

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

export async function findUser(db: Db, id: number): Promise<User | undefined> {
  const { rows } = await db.execute({ sql: 'SELECT id, name FROM users WHERE id = ?', args: [id] })
  return rows[0] && { id: Number(rows[0].id), name: String(rows[0].name) }
}

/** Returns the user with this name if the password is correct. */
export async function checkLogin(db: Db, name: string, password: string): Promise<User | undefined> {
  const { rows } = await db.execute({
    sql: 'SELECT id, name, password FROM users WHERE name = ?',
    args: [name],
  })
  const row = rows[0]
  if (!row || !(await matches(password, String(row.password)))) return undefined
  return { id: Number(row.id), name: String(row.name) }
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, 32)
  return `${salt.toString('base64')}:${key.toString('base64')}`
}

async function matches(password: string, stored: string): Promise<boolean> {
  const [salt = '', key = ''] = stored.split(':')
  const expected = Buffer.from(key, 'base64')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), expected.length), expected)
}
