/** Fastify 4 and its plugins by the types of 5; the tests use what both have. */

declare module 'fastify4' {
  import fastify from 'fastify'
  export default fastify
}

declare module 'fastify4-compress' {
  import plugin from '@fastify/compress'
  export default plugin
}

declare module 'fastify4-cookie' {
  import plugin from '@fastify/cookie'
  export default plugin
}

declare module 'fastify4-cors' {
  import plugin from '@fastify/cors'
  export default plugin
}

declare module 'fastify4-helmet' {
  import plugin from '@fastify/helmet'
  export default plugin
}

declare module 'fastify4-jwt' {
  import plugin from '@fastify/jwt'
  export default plugin
}

declare module 'fastify4-passport' {
  export { Authenticator, Strategy } from '@fastify/passport'
}

declare module 'fastify4-secure-session' {
  import plugin from '@fastify/secure-session'
  export default plugin
}

declare module 'fastify4-session' {
  import plugin from '@fastify/session'
  export default plugin
}
