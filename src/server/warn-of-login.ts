/** Finds logins that keep browsers from an endpoint with `cors`: a preflight carries no credentials. */

import { checksCaller } from '../routes/discovery/caller-checks.js'
import type { RouteGuard } from '../routes/route.js'
import { coreOf, type McpRouter } from './router.js'

/** Beside the names that count for a route: here a wrong guess costs a line in the log. */
const likely = /log_?in|sign_?in|guard|protect|require|verify|jwt|token|api_?key|auth(?!enticate$)/i
const answersPreflights = /cors/i

/** Logs a warning where one of `guards`, which stand in front of the endpoint in this order, checks who calls. */
export function warnOfLogin(router: McpRouter<object>, guards: readonly RouteGuard[]): void {
  const end = guards.findIndex(({ name }) => answersPreflights.test(name))
  const asked = end < 0 ? guards : guards.slice(0, end)
  const named = new Set(asked.map(({ name }) => name).filter((name) => likely.test(name)))
  if (checksCaller(asked, named) !== 'yes') return
  const [name] = named
  coreOf(router).log.warn(
    `\`cors\` does not help behind a login${name === undefined ? '' : ` (\`${name}\`)`}: a preflight carries no credentials, so it is refused before it reaches the endpoint; answer preflights in front of the login (docs/mounting.md, "CORS behind a login")`,
  )
}
