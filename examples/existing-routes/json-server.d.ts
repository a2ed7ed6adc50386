/** The part of json-server that the library uses; the package has no types of its own. */
declare module 'json-server' {
  import type { Express, RequestHandler, Router } from 'express'

  const jsonServer: {
    create(): Express
    defaults(options: { logger: boolean }): RequestHandler[]
    router(db: object): Router
  }
  export default jsonServer
}
