/** Fastify: routes with schemas under a prefix, a login with tokens, and one marker per tool. */
import fastifyJwt from '@fastify/jwt'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fastify'
import { logger } from './log.js'

interface Ticket {
  id: number
  owner: string
  title: string
  state: 'open' | 'closed'
}

const aTicket = {
  $id: 'Ticket',
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    state: { type: 'string', enum: ['open', 'closed'] },
  },
} as const
const anId = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as const
const aTitle = {
  type: 'object',
  required: ['title'],
  properties: { title: { type: 'string', minLength: 3 } },
} as const
const aState = {
  type: 'object',
  properties: { state: { type: 'string', enum: ['open', 'closed'] } },
} as const
const list = { type: 'array', items: { $ref: 'Ticket#' } } as const

export async function createTickets(secret: string): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(fastifyJwt, { secret })
  // Registered before the routes: the plugin can't see earlier routes, and reports them as an error at the start.
  await app.register(mcp, {
    router: new McpRouter<object>({ name: 'tickets', version: '1.0.0', ...logger }),
  })
  await app.register(ticketRoutes, { prefix: '/v1/tickets' })
  return app
}

async function ticketRoutes(app: FastifyInstance): Promise<void> {
  const tickets: Ticket[] = []
  const ownerOf = ({ user }: FastifyRequest): string => (user as { sub: string }).sub
  app.addSchema(aTicket)
  app.addHook('onRequest', async function verifyToken(request) {
    await request.jwtVerify()
  })

  app.get<{ Querystring: { state?: Ticket['state'] } }>(
    '/',
    {
      schema: { querystring: aState, response: { 200: list } },
      config: { mcp: { name: 'ticket_list', description: 'My tickets.' } },
    },
    async (request) =>
      tickets.filter(
        ({ owner, state }) => owner === ownerOf(request) && state === (request.query.state ?? state),
      ),
  )
  app.post<{ Body: { title: string } }>(
    '/',
    {
      schema: { body: aTitle, response: { 201: { $ref: 'Ticket#' } } },
      config: { mcp: { name: 'ticket_open', description: 'Open a ticket.' } },
    },
    async (request, reply) => {
      const ticket = {
        id: tickets.length + 1,
        owner: ownerOf(request),
        state: 'open',
        ...request.body,
      } as const
      tickets.push({ ...ticket })
      return reply.code(201).send(ticket)
    },
  )
  app.put<{ Params: { id: number } }>(
    '/:id/close',
    {
      schema: { params: anId },
      config: {
        mcp: { name: 'ticket_close', description: 'Close a ticket.', annotations: { destructive: false } },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const ticket = tickets.find((one) => one.id === id && one.owner === ownerOf(request))
      if (ticket === undefined) return reply.code(404).send({ message: `You have no ticket ${id}` })
      if (ticket.state === 'closed')
        return reply.code(409).send({ message: `Ticket ${id} is closed already` })
      ticket.state = 'closed'
      return reply.code(204).send()
    },
  )
  // Without a marker, this route isn't a tool.
  app.delete('/', async () => ({ deleted: tickets.splice(0).length }))
}
