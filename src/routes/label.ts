/** How messages and reports call a route. */

import type { Route } from './route.js'

/** `GET /tasks/{id}`, and what tells it from others there: `GET /tasks (version 1.2.0)`. */
export function labelOf({ method, template, constraints }: Route): string {
  return labelText(method, template.text, constraints)
}

/** The same of a path as text. */
export function labelText(method: string, path: string, constraints: Route['constraints'] = {}): string {
  const asked = Object.entries(constraints).map(([name, value]) => `${name} ${value}`)
  return `${method} ${path}${asked.length === 0 ? '' : ` (${asked.join(', ')})`}`.trim()
}
