/** The identity that calls are made with: none, a pasted token, or a sign-in. */

import { type Challenge, challengeOf } from './oauth/challenge.js'

export interface Identity {
  /** The label after "Signed in"; empty without an identity. */
  readonly name: string
  /** The scopes that are known to be granted. */
  readonly scopes: readonly string[]
  /** Returns the `Authorization` header. */
  authorization(): Promise<string | undefined>
  /** Tries to get a new token after a 401. Resolves to whether there is one. */
  renew(): Promise<boolean>
}

export const anonymous: Identity = {
  name: '',
  scopes: [],
  authorization: async () => undefined,
  renew: async () => false,
}

export function withToken(token: string): Identity {
  return { ...anonymous, name: 'with a token', authorization: async () => `Bearer ${token}` }
}

/**
 * Wraps `send` to use an identity. After a 401 it retries once with a renewed token. `onChallenge` is called with the
 * challenge of a 401 or 403.
 */
export function authorizedFetch(
  identity: Identity,
  send: typeof fetch,
  onChallenge: (challenge: Challenge) => void,
): typeof fetch {
  const once = async (...[input, init = {}]: Parameters<typeof fetch>): Promise<Response> => {
    const headers = new Headers(init.headers)
    const authorization = await identity.authorization()
    if (authorization !== undefined) headers.set('Authorization', authorization)
    return send(input, { ...init, headers })
  }
  return async (input, init) => {
    let response = await once(input, init)
    if (response.status === 401 && (await identity.renew())) {
      await response.body?.cancel()
      response = await once(input, init)
    }
    const challenge = challengeOf(response)
    if (challenge !== undefined) onChallenge(challenge)
    return response
  }
}
