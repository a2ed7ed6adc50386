/** What a challenge says besides where to begin. All of it is optional. */
export interface Challenge {
  /** Left out where no token was sent. */
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined
  readonly description?: string | undefined
  /** What the client should ask for. */
  readonly scopes?: readonly string[] | undefined
}
