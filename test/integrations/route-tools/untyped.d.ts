/** Upload middleware without types of its own, or under another name. */

declare module '@koa/multer' {
  import multer from 'multer'
  export default multer
}

declare module 'fastify4-multipart' {
  import plugin from '@fastify/multipart'
  export default plugin
}
