/** Who may log in, and the tokens that they get. A real app keeps hashes of passwords. */
import jsonwebtoken from 'jsonwebtoken'

/** What koa-jwt leaves on `ctx.state.user`. */
export interface User {
  sub: string
  role: 'owner' | 'guest'
}

export const ana = { name: 'ana', password: 'ana-reads-a-lot', role: 'owner' } as const
export const ben = { name: 'ben', password: 'ben-only-looks', role: 'guest' } as const

/** A token for 8 hours, if the password is right. */
export function logIn(
  { name, password }: { name?: unknown; password?: unknown },
  secret: string,
): string | undefined {
  const user = [ana, ben].find((one) => one.name === name && one.password === password)
  return user && jsonwebtoken.sign({ role: user.role }, secret, { subject: user.name, expiresIn: '8h' })
}
