/** Nest on Express: a login, and the mount behind it. */
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { NextFunction, Request, Response } from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { UserService } from './notes.js'
import { AppModule } from './tools.js'

export async function start(port: number) {
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error'] })
  const users = app.get(UserService, { strict: false })
  const router: McpRouter = app.get(McpRouter)
  const login = (req: Request & { user?: unknown }, _res: Response, next: NextFunction): void => {
    req.user = users.find(req.headers.authorization)
    next()
  }
  app.use('/mcp', login, mcp(router))
  await app.listen(port, '127.0.0.1')

  async function close(): Promise<void> {
    await router.close({ drainMs: 5_000 })
    await app.close()
  }

  return { origin: await app.getUrl(), close }
}
