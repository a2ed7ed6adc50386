/** Development packages that come without types. */

declare module 'express4' {
  import express from 'express'
  export default express
}

declare module 'compression' {
  import type { RequestHandler } from 'express'
  export default function compression(options?: object): RequestHandler
}

declare module 'cookie-session' {
  import type { RequestHandler } from 'express'
  export default function cookieSession(options?: object): RequestHandler
}

declare module 'cors' {
  import type { RequestHandler } from 'express'
  export default function cors(options?: object): RequestHandler
}
