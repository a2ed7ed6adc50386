/** What an app starts from, framework by framework. */

export interface Import {
  readonly from: string
  /** What it is called here. */
  readonly main?: string
  readonly names?: readonly string[]
}

export interface Starter {
  /** What the app imports, `mcp` last. */
  readonly imports: readonly Import[]
  /** Makes `app`. */
  readonly make: string
  /** Serves the endpoint in it. */
  readonly mount: readonly string[]
  readonly listen: readonly string[]
  /** Beside the framework itself. */
  readonly packages?: readonly string[]
  /** Where its types come from, if not from itself. */
  readonly types?: string
}

const says = `  console.log(\`MCP at http://127.0.0.1:\${port}/mcp\`)`

/** The first one that package.json has is taken. */
export const starters: Readonly<Record<string, Starter>> = {
  express: {
    imports: [
      { from: 'express', main: 'express' },
      { from: 'mcp-router/express', names: ['mcp'] },
    ],
    make: 'express()',
    mount: ['app.use(mcp(router))'],
    // Express 5 gives the callback what went wrong, too.
    listen: ["app.listen(port, '127.0.0.1', (error) => {", '  if (error) throw error', says, '})'],
    types: '@types/express',
  },
  fastify: {
    imports: [
      { from: 'fastify', main: 'Fastify' },
      { from: 'mcp-router/fastify', names: ['mcp'] },
    ],
    make: 'Fastify()',
    mount: ['app.register(mcp, { router })'],
    listen: ["app.listen({ port, host: '127.0.0.1' }, (error) => {", '  if (error) throw error', says, '})'],
  },
  koa: {
    imports: [
      { from: 'koa', main: 'Koa' },
      { from: 'mcp-router/koa', names: ['mcp'] },
    ],
    make: 'new Koa()',
    mount: ['app.use(mcp(router))'],
    listen: ["app.listen(port, '127.0.0.1', () => {", says, '})'],
    types: '@types/koa',
  },
  hono: {
    imports: [
      { from: '@hono/node-server', names: ['serve'] },
      { from: '@hono/node-server/conninfo', names: ['getConnInfo'] },
      { from: 'hono', names: ['Hono'] },
      { from: 'mcp-router/fetch', names: ['mcp'] },
    ],
    make: 'new Hono()',
    mount: [
      'const handler = mcp(router)',
      "app.all('/mcp', (c) => handler(c.req.raw, { peerAddress: getConnInfo(c).remote.address }))",
    ],
    listen: ["serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {", says, '})'],
    packages: ['@hono/node-server'],
  },
}
