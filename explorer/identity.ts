/** Who calls: nobody in particular, whoever a pasted token is for, or who has signed in. */

import { type Challenge, challengeOf } from './oauth/challenge.js'

export interface Identity {
  /** Where it is from, for people; empty for nobody in particular. */
  readonly name: string
  /** What is known to be allowed. */
  readonly scopes: readonly string[]
  /** The header of this name. */
  authorization(): Promise<string | undefined>
  /** After a 401: whether there is another token now. */
  renew(): Promise<boolean>
}

export const nobody: Identity = {
  name: '',
  scopes: [],
  authorization: async () => undefined,
  renew: async () => false,
}

export function withToken(token: string): Identity {
  return { ...nobody, name: 'with a token', authorization: async () => `Bearer ${token}` }
}

/**
 * `send` as that identity, with another token after a 401 where there is one. `onChallenge` hears what the server still
 * wants.
 */
export function sendingAs(
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
