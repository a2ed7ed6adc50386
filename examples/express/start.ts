/** Opens the database, builds the app and listens. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.js'
import { signToken } from './auth.js'
import { openDatabase } from './db.js'
import { router } from './mcp.js'
import { checkLogin } from './users.js'

export async function start(port: number) {
  const secret = process.env.JWT_SECRET ?? randomBytes(32).toString('hex')
  const db = await openDatabase()
  const server = createApp(db, secret).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo // a server on a port has an AddressInfo

  async function tokenFor(name: string, password: string): Promise<string | undefined> {
    const user = await checkLogin(db, name, password)
    return user && signToken(user, secret)
  }

  async function close(): Promise<void> {
    await router.close({ drainMs: 5_000 })
    server.close()
    await once(server, 'close')
    db.close()
  }

  return { url: `http://127.0.0.1:${address.port}`, tokenFor, close }
}
