/** Development packages that come without types, or under another name. */

declare module 'koa2' {
  import Koa from 'koa'
  export default Koa
}

declare module 'koa-router12' {
  import Router from '@koa/router'
  export default Router
}

declare module 'koa-router13' {
  import Router from '@koa/router'
  export default Router
}

declare module '@koa/cors' {
  import type { Middleware } from 'koa'
  export default function cors(options?: object): Middleware
}
