/** The login of the app: signed tokens, and a store that follows each request. */

import { AsyncLocalStorage } from 'node:async_hooks'
import jsonwebtoken from 'jsonwebtoken'
import type { Caller } from './host.js'

const secret = 'signs the tokens of the tests, and nothing else'

/** What apps keep their tenant or transaction in. */
export const requestStore = new AsyncLocalStorage<Caller | undefined>()

export function tokenOf({ id, role }: Caller): string {
  // Without its time a caller has one token, whenever it is made.
  return jsonwebtoken.sign({ role }, secret, { subject: id, noTimestamp: true })
}

/** `undefined` for nobody, and for tokens that are none. */
export function callerOf(authorization: string | undefined): Caller | undefined {
  const [, token = ''] = /^Bearer (.+)$/.exec(authorization ?? '') ?? []
  try {
    const { sub, role } = jsonwebtoken.verify(token, secret) as { sub: string; role: string }
    return { id: sub, role }
  } catch {
    return undefined
  }
}
