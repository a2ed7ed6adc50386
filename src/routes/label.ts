/** How messages and reports call a route. */

import { labelText } from '../definitions/route-report.js'
import type { Route } from './route.js'

/** `GET /tasks/{id}`, and what tells it from others there: `GET /tasks (version 1.2.0)`. */
export function labelOf({ method, template, constraints }: Route): string {
  return labelText(method, template.text, constraints)
}
