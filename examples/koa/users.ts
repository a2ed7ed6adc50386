/** The users and their tokens. A real app stores hashes of passwords. */
import jsonwebtoken from 'jsonwebtoken'

/** The value that koa-jwt sets as `ctx.state.user`. */
export interface User {
  sub: string
  role: 'owner' | 'guest'
}

export const ana = { name: 'ana', password: 'ana-reads-a-lot', role: 'owner' } as const
export const ben = { name: 'ben', password: 'ben-only-looks', role: 'guest' } as const

/** Returns a token for 8 hours if the password is correct. */
export function logIn(
  { name, password }: { name?: unknown; password?: unknown },
  secret: string,
): string | undefined {
  const user = [ana, ben].find((one) => one.name === name && one.password === password)
  return user && jsonwebtoken.sign({ role: user.role }, secret, { subject: user.name, expiresIn: '8h' })
}
