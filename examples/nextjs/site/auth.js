/** Identifies the caller. A real app uses its own login here: a session cookie, a token, `auth()` of its library. */

/**
 * @param {Request} request
 * @returns {string | undefined}
 */
export function auth(request) {
  const [scheme, token] = (request.headers.get('authorization') ?? '').split(' ')
  const tokens = JSON.parse(process.env.TOKENS ?? '{}')
  return scheme === 'Bearer' && Object.hasOwn(tokens, token) ? tokens[token] : undefined
}
