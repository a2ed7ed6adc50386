/** The REST API for tasks. */
import { Router } from 'express'
import { userOf } from './auth.js'
import { NewTask, TaskChanges, TaskFilter, TaskId, type Tasks } from './tasks.js'
import { validate } from './validate.js'

export function taskRoutes(tasks: Tasks): Router {
  const router = Router()

  router.get('/', async (req, res) => {
    res.json(await tasks.list(userOf(req).id, validate(TaskFilter, req.query)))
  })

  router.post('/', async (req, res) => {
    const task = await tasks.create(userOf(req).id, validate(NewTask, req.body))
    res.status(201).location(`${req.baseUrl}/${task.id}`).json(task)
  })

  router.get('/:id', async (req, res) => {
    const { id } = validate(TaskId, req.params)
    res.json(await tasks.get(userOf(req).id, id))
  })

  router.patch('/:id', async (req, res) => {
    const { id } = validate(TaskId, req.params)
    res.json(await tasks.update(userOf(req).id, id, validate(TaskChanges, req.body)))
  })

  router.delete('/:id', async (req, res) => {
    const { id } = validate(TaskId, req.params)
    await tasks.remove(userOf(req).id, id)
    res.status(204).end()
  })

  return router
}
