/** What the README takes for granted: an app with logins, a service and a second router. */

import express, { type RequestHandler } from 'express'
import { McpRouter, tool } from 'mcp-router'
import passport from 'passport'

export interface User {
  id: string
  role: string
}

interface Task {
  id: string
  owner: string
  title: string
  status: 'open' | 'done'
  markdown: string
}

export class TaskService {
  readonly #tasks: Task[] = [
    { id: '1', owner: 'ana', title: 'Water the plants', status: 'open', markdown: '# Water the plants' },
    { id: '2', owner: 'ben', title: 'Call the bank', status: 'done', markdown: '# Call the bank' },
  ]

  list({ owner, status, limit }: { owner: string; status?: string | undefined; limit: number }): Task[] {
    return this.#tasks
      .filter((task) => task.owner === owner && task.status === (status ?? task.status))
      .slice(0, limit)
  }
  recent(owner: string): Task[] {
    return this.list({ owner, limit: 10 })
  }
  find(owner: string, id: string): Task | undefined {
    return this.recent(owner).find((task) => task.id === id)
  }
  idsStartingWith(owner: string, typed: string): string[] {
    return this.recent(owner)
      .map((task) => task.id)
      .filter((id) => id.startsWith(typed))
  }
  rename(task: Task, title: string): Task {
    task.title = title
    return task
  }
  count(owner: string): { open: number; done: number } {
    const status = this.recent(owner).map((task) => task.status)
    return {
      open: status.filter((one) => one === 'open').length,
      done: status.filter((one) => one === 'done').length,
    }
  }
}

const userCalled = (id: string): User => ({ id, role: id === 'ana' ? 'admin' : 'member' })

/** Signs in whoever the token names. */
class HeaderStrategy extends passport.Strategy {
  override name = 'jwt'
  override authenticate(req: express.Request): void {
    const [, id] = /^Bearer (.+)$/.exec(req.header('authorization') ?? '') ?? []
    if (id === undefined) this.fail('Bearer', 401)
    else this.success(userCalled(id))
  }
}
passport.use(new HeaderStrategy())

export { passport }
export const login: RequestHandler = passport.authenticate('jwt', { session: false })
export const app: express.Express = express()
export const tasks: TaskService = new TaskService()
export const timings: { names: string[]; record(name: string, ms: number): void } = {
  names: [],
  record(name) {
    this.names.push(name)
  },
}
export const billingRouter: McpRouter = new McpRouter()
billingRouter.add({ invoice_list: tool({ description: 'List invoices.', handler: () => [] }) })

export function requireRole(role: string): RequestHandler {
  return (req, res, next) => {
    if ((req.user as User | undefined)?.role === role) next()
    else res.status(403).json({ message: `You need the role ${role}` })
  }
}

export const getTask: RequestHandler = (req, res) => {
  const task = tasks.find((req.user as User).id, String(req.params.id))
  if (task === undefined) res.status(404).json({ message: 'There is no such task' })
  else res.json(task)
}
