/** One app with one shelf and three endpoints that behave the same. `npx tsx server.ts` starts it. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { mcp } from 'mcp-router/express'
import { Shelf, type User } from './books.js'
import { byClass } from './classes.js'
import { byFile } from './files.js'
import { byRecord } from './records.js'

export async function start(port: number) {
  const shelf = new Shelf('Emma', 'Middlemarch', 'The Moonstone')
  const options = {
    context: () => ({ shelf }),
    user: (): User => ({ id: 'ana' }), // the example has no login
  }
  const routers = { records: byRecord, classes: byClass(shelf), files: byFile }
  const app = express()
  for (const [name, router] of Object.entries(routers)) app.use(`/${name}`, mcp(router, options))

  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo // a server on a port has an AddressInfo

  async function close(): Promise<void> {
    await Promise.all(Object.values(routers).map((router) => router.close({ drainMs: 5_000 })))
    server.close()
    await once(server, 'close')
  }

  const url = `http://127.0.0.1:${address.port}`
  return { urls: Object.keys(routers).map((name) => `${url}/${name}/mcp`), close }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { urls, close } = await start(Number(process.env.PORT ?? 3000))
  console.log(urls.join('\n'))
  process.once('SIGINT', close).once('SIGTERM', close)
}
