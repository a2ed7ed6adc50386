/** The code of a first app for each framework. */

export interface Import {
  readonly from: string
  /** The local name of the default export. */
  readonly main?: string
  readonly names?: readonly string[]
}

export interface Starter {
  /** The imports of the app, with `mcp` last. */
  readonly imports: readonly Import[]
  /** The expression that creates `app`. */
  readonly make: string
  /** The lines that mount the endpoint in `app`. */
  readonly mount: readonly string[]
  readonly listen: readonly string[]
  /** Packages to install besides the framework. */
  readonly packages?: readonly string[]
  /** The package with the framework's types, if it doesn't contain them. */
  readonly types?: string
}

const logLine = `  console.log(\`MCP at http://127.0.0.1:\${port}/mcp\`)`

/** The starters by framework. If package.json has several frameworks, the first one here is the default. */
export const starters: Readonly<Record<string, Starter>> = {
  express: {
    imports: [
      { from: 'express', main: 'express' },
      { from: 'mcp-router/express', names: ['mcp'] },
    ],
    make: 'express()',
    mount: ['app.use(mcp(router))'],
    // Express 5 calls the callback with an error, too.
    listen: ["app.listen(port, '127.0.0.1', (error) => {", '  if (error) throw error', logLine, '})'],
    types: '@types/express',
  },
  fastify: {
    imports: [
      { from: 'fastify', main: 'Fastify' },
      { from: 'mcp-router/fastify', names: ['mcp'] },
    ],
    make: 'Fastify()',
    mount: ['app.register(mcp, { router })'],
    listen: [
      "app.listen({ port, host: '127.0.0.1' }, (error) => {",
      '  if (error) throw error',
      logLine,
      '})',
    ],
  },
  koa: {
    imports: [
      { from: 'koa', main: 'Koa' },
      { from: 'mcp-router/koa', names: ['mcp'] },
    ],
    make: 'new Koa()',
    mount: ['app.use(mcp(router))'],
    listen: ["app.listen(port, '127.0.0.1', () => {", logLine, '})'],
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
    listen: ["serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {", logLine, '})'],
    packages: ['@hono/node-server'],
  },
}
