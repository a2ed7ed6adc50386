/** The report on a route, for `router.list()` and messages. */

/** Describes a route: whether it is a tool, and which middleware runs before it. */
export interface RouteReport {
  /** `ALL`: every method. Empty if the route could not be read. */
  readonly method: string
  /** `/tasks/{id}` */
  readonly path: string
  /** Further conditions that a request must meet: `{ version: '1.2.0' }`. */
  readonly constraints?: Readonly<Record<string, string>> | undefined
  /** The name of its tool in this router; `undefined` if it isn't a tool. */
  readonly tool: string | undefined
  /** Why it isn't a tool. */
  readonly reason: string | undefined
  /**
   * The names of the middleware in front of the handler, outermost first; `(anonymous)` for functions without a name.
   */
  readonly guards: readonly string[]
  /** Why `guards` is unknown: the route belongs to another server, or to an app that no mount reads. */
  readonly guardsUnread?: string | undefined
  /** Whether some middleware, or the handler according to `guarded`, checks the caller. */
  readonly checksCaller: ChecksCaller
  /** Where its schemas come from: `marker`, `fastify`, `express-validator`, …, or `path` if only the path is known. */
  readonly schemaSource: string
  /** Parts of the request without a schema. Its tool accepts anything there, as the arguments `query` and `body`. */
  readonly undescribed?: readonly ('query' | 'body')[] | undefined
}

/** Returns the label of a route in messages, such as `GET /tasks (version 1.2.0)`. */
export function labelText(
  method: string,
  path: string,
  constraints: RouteReport['constraints'] = {},
): string {
  const conditions = Object.entries(constraints).map(([name, value]) => `${name} ${value}`)
  return `${method} ${path}${conditions.length === 0 ? '' : ` (${conditions.join(', ')})`}`.trim()
}

export type ChecksCaller = 'yes' | 'no' | 'unknown'
