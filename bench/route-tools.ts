/** Measures calls of a route's tool over HTTP against the route itself on the same app. */

import { toolCall } from './calls.js'
import { post, startApp, throughput } from './load.js'
import { type Row, row } from './row.js'

const newTask = { title: 'Water the plants', done: false }
const cases = [
  {
    work: 'GET route as a tool',
    tool: toolCall('2026-07-28', 'task_get', { id: '7' }),
    route: 'GET /tasks/7 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  },
  {
    work: 'POST route as a tool',
    tool: toolCall('2026-07-28', 'task_create', newTask),
    route: post('/tasks', newTask),
  },
]

export async function measureRouteTools(): Promise<Row[]> {
  const rows: Row[] = []
  for (const framework of ['Express', 'Koa', 'Fastify']) {
    const app = await startApp('./apps/routes.ts', [framework])
    try {
      for (const { work, tool, route } of cases) {
        const rates = await throughput({ app, request: tool }, { app, request: route })
        rows.push(row(`${work}, ${framework}`, 'the route', 0.5, rates))
      }
    } finally {
      app.stop()
    }
  }
  return rows
}
