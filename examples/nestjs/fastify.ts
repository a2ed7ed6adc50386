/** Nest on Fastify: the same module, with the mount registered as a plugin. */
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyRequest } from 'fastify'
import { McpRouter } from 'mcp-router'
import mcp from 'mcp-router/fastify'
import { UserService } from './notes.js'
import { AppModule } from './tools.js'

export async function start(port: number) {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
    logger: ['error'],
  })
  const users = app.get(UserService, { strict: false })
  const router: McpRouter = app.get(McpRouter)
  await app.register(mcp, {
    router,
    user: (request: FastifyRequest) => users.find(request.headers.authorization),
  })
  await app.listen(port, '127.0.0.1')
  return { origin: await app.getUrl(), close: () => app.close() }
}
