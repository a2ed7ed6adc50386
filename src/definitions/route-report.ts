/** Routes as `router.list()` and messages describe them. */

/** What is known of a route: whether it is a tool, and what stands in front of it. */
export interface RouteReport {
  /** `ALL`: every one. Empty where the route could not be read. */
  readonly method: string
  /** `/tasks/{id}` */
  readonly path: string
  /** What else a request must say, where the app has it so: `{ version: '1.2.0' }`. */
  readonly constraints?: Readonly<Record<string, string>> | undefined
  /** Its tool's name in this router; `undefined`: it is no tool. */
  readonly tool: string | undefined
  /** Why it is no tool. */
  readonly reason: string | undefined
  /** The middleware in front of the handler, outermost first; `(anonymous)` where it has no name. */
  readonly guards: readonly string[]
  /** Why they cannot be told: the route is of another server, or of an app that no mount reads. */
  readonly guardsUnread?: string | undefined
  /** Whether one of them, or by its `guarded` the handler, checks who calls. */
  readonly checksCaller: ChecksCaller
  /** Where its schemas come from: `marker`, `fastify`, `express-validator`, …, `path`: from the path alone. */
  readonly schemaSource: string
  /** Parts of the request that nothing describes: its tool takes anything there, as the arguments `query` and `body`. */
  readonly undescribed?: readonly ('query' | 'body')[] | undefined
}

/** The same of a path as text. */
export function labelText(
  method: string,
  path: string,
  constraints: RouteReport['constraints'] = {},
): string {
  const asked = Object.entries(constraints).map(([name, value]) => `${name} ${value}`)
  return `${method} ${path}${asked.length === 0 ? '' : ` (${asked.join(', ')})`}`.trim()
}

export type ChecksCaller = 'yes' | 'no' | 'unknown'
