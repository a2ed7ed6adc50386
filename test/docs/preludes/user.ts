/** `req.user` as Passport declares it. */

import type {} from 'passport'

declare global {
  namespace Express {
    interface User {
      id: string
    }
  }
}

export type User = Express.User
