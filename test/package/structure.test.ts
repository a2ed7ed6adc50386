/** The house rules about who imports whom, where a `tools/call` goes, and what is public. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** The values that each entry exports. A name more or less here is a decision. */
const PUBLIC = {
  'src/index.ts': [
    'ErrorCode',
    'ForbiddenError',
    'InputRequired',
    'InvalidParamsError',
    'McpError',
    'McpRouter',
    'NotFoundError',
    'PROTOCOL_VERSIONS',
    'ToolError',
    'UnauthorizedError',
    'appTool',
    'audio',
    'embed',
    'image',
    'link',
    'memoryStore',
    'prompt',
    'resource',
    'result',
    'text',
    'tool',
  ],
  'src/adapter.ts': [
    'Duplex',
    'ErrorCode',
    'HttpHandler',
    'LineFeed',
    'McpError',
    'McpRouter',
    'MetadataHandler',
    'ToolError',
    'Upgrades',
    'aBoolean',
    'adoptLogger',
    'assertNoRoutes',
    'checkOptions',
    'duplexOptionTable',
    'expected',
    'isPieces',
    'mountOptionTable',
    'oneOf',
    'attempt',
    'fromHttpRefusal',
    'refuseWith',
    'upgradeOptionTable',
    'whenReady',
    'withDefaults',
  ],
  'integrations/auth/index.ts': ['introspectionVerifier', 'jwtVerifier'],
  'integrations/awilix/index.ts': ['scopePerCall'],
  'integrations/bullmq/index.ts': ['bullmqTasks'],
  'integrations/express/index.ts': ['asTool', 'fromHandler', 'guard', 'isToolCall', 'mcp', 'mcpMetadata'],
  'integrations/fastify/index.ts': ['default', 'guard', 'isToolCall', 'mcp', 'mcpMetadata'],
  'integrations/fetch/index.ts': ['mcp'],
  'integrations/files/index.ts': ['loadDirectory'],
  'integrations/koa/index.ts': ['asTool', 'fromHandler', 'guard', 'isToolCall', 'mcp', 'mcpMetadata'],
  'integrations/node/index.ts': ['guard', 'mcp'],
  'integrations/openapi/index.ts': ['addOpenApi', 'overlay'],
  'integrations/otel/index.ts': ['instrument'],
  'integrations/redis/index.ts': ['redisStore'],
  'integrations/stdio/index.ts': ['protectStdout', 'serveStdio'],
  'integrations/websocket/index.ts': ['attachWebSocket', 'webSocketRoute'],
  'integrations/testing/index.ts': ['testClient', 'textOf'],
}

interface Import {
  file: string
  /** A path below the root for a file of ours, else the package's name. */
  target: string
  typeOnly: boolean
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = ['src', 'integrations'].flatMap(sourcesIn)
const imports = files.flatMap(importsOf)

describe('imports', () => {
  it('finds them', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(imports.length).toBeGreaterThan(files.length)
  })

  it('lead from src to src, to the platform by name, and to the ciphers of portable platforms', () => {
    const allowed = /^(src\/|#runtime$|@noble\/(ciphers|hashes)\/)/
    expect(from('src/').filter(({ target }) => !allowed.test(target))).toEqual([])
    expect(
      from('src/').filter(
        ({ file, target }) => target.startsWith('@noble/') && file !== 'src/support/portable-runtime.ts',
      ),
    ).toEqual([])
  })

  it('lead from each folder of src to those above it in ARCHITECTURE.md, types included', () => {
    const [, tree = ''] =
      /```[^\n]*\n([\s\S]*?)```/.exec(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')) ?? []
    const layers = [...tree.matchAll(/^src\/([\w-]+)\//gm)].map(([, name]) => name)
    const layerOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1]
    const folders = new Set(files.map(layerOf).filter((folder) => folder !== undefined))
    expect([...folders].sort()).toEqual([...layers].sort())
    const place = (file: string): number => layers.indexOf(layerOf(file) ?? '')
    const inSrc = from('src/').filter(
      ({ file, target }) => layerOf(file) !== undefined && target.startsWith('src/'),
    )
    expect(inSrc.filter(({ file, target }) => place(target) < 0 || place(target) > place(file))).toEqual([])
  })

  it('lead from integrations into src by one door', () => {
    const doors = new Set(['src/adapter.ts', 'src/internal.ts', 'src/support/runtime.ts'])
    // That is `mcp-router` itself, and what it stands on, after the globals that Bare lacks.
    const ofBare: Readonly<Record<string, string>> = {
      'integrations/bare/router.ts': 'src/index.ts',
      'integrations/bare/runtime.ts': 'src/support/portable-runtime.ts',
    }
    const isCoreOfBare = ({ file, target }: Import): boolean => ofBare[file] === target
    expect(
      from('integrations/').filter(
        (one) => one.target.startsWith('src/') && !doors.has(one.target) && !isCoreOfBare(one),
      ),
    ).toEqual([])
    expect(
      from('integrations/').filter(
        ({ target, typeOnly }) => target === 'src/support/runtime.ts' && !typeOnly,
      ),
    ).toEqual([])
  })

  it('lead from an integration to itself and to node, from the command line and Bare to stdio, never to another one', () => {
    const strangers = from('integrations/').filter(({ file, target }) => {
      if (!target.startsWith('integrations/')) return false
      const [own, other] = [file, target].map((path) => path.split('/')[1])
      return other !== own && other !== 'node' && !(other === 'stdio' && ['bare', 'cli'].includes(own ?? ''))
    })
    expect(strangers).toEqual([])
  })

  it('name frameworks as types only', () => {
    const packages = imports.filter(
      ({ target }) => !/^(src\/|integrations\/|node:|#|@noble\/|fastify-plugin$)/.test(target),
    )
    // Who imports one of these has installed what it is made of.
    const madeOf: Readonly<Record<string, string>> = {
      auth: 'jose',
      bullmq: 'bullmq',
      otel: '@opentelemetry/api',
      redis: 'redis',
      websocket: 'ws',
    }
    const own = packages.filter(({ file, target }) => madeOf[file.split('/')[1] ?? ''] === target)
    const ofBare = packages.filter(
      ({ file, target }) => file.startsWith('integrations/bare/') && /^bare-/.test(target),
    )
    expect(packages.filter((one) => !one.typeOnly && ![...own, ...ofBare].includes(one))).toEqual([])
  })

  it('make no circle of files', () => {
    const graph = new Map<string, string[]>()
    for (const { file, target, typeOnly } of imports) {
      if (!typeOnly) graph.set(file, [...(graph.get(file) ?? []), target])
    }
    expect(circleIn(graph)).toEqual([])
  })
})

it('the core names tools/call on one line of its own, in the table of methods', () => {
  const lines = files
    .filter((file) => file.startsWith('src/') && !file.startsWith('src/protocol/'))
    .flatMap((file) =>
      codeOf(file)
        .split('\n')
        .filter((line) => /(['"`])tools\/call\1/.test(line))
        .map(() => file),
    )
  expect(lines).toEqual(['src/methods/method-table.ts'])
})

describe('public names', () => {
  it.each(Object.entries(PUBLIC))('of %s', async (file, names) => {
    const module = (await import(join(root, file))) as object
    expect(Object.keys(module).sort()).toEqual([...names].sort())
  })
})

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => posix.join(folder, file))
    .sort()
}

function importsOf(file: string): Import[] {
  const code = codeOf(file)
  const statements = [
    ...code.matchAll(/^(?:import|export)\b(?<clause>[^'"`;=]*?)\bfrom '(?<target>[^']+)'/gm),
  ]
  const plain = [...code.matchAll(/^import '(?<target>[^']+)'/gm)]
  const calls = [...code.matchAll(/\b(?:import|require)\('(?<target>[^']+)'\)/g)]
  return [...statements, ...plain, ...calls].map(({ groups = {} }) => ({
    file,
    target: resolve(file, groups.target ?? ''),
    typeOnly: isTypeOnly(groups.clause ?? ''),
  }))
}

/** `import type …`, or nothing but `type` names between the braces. */
function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true
  const names = /^\s*\{([^}]*)\}\s*$/
    .exec(clause)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '')
  return names?.every((name) => /^\s*type\s/.test(name)) ?? false
}

/** The source without comments, which hold examples. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

function resolve(file: string, target: string): string {
  if (!target.startsWith('.')) return target
  return posix.join(posix.dirname(file), target).replace(/\.js$/, '.ts')
}

function from(folder: string): Import[] {
  return imports.filter(({ file }) => file.startsWith(folder))
}

/** The files of the first circle that is found. */
function circleIn(graph: Map<string, string[]>): string[] {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] => {
    const start = path.indexOf(file)
    if (start >= 0) return [...path.slice(start), file]
    if (done.has(file)) return []
    for (const target of graph.get(file) ?? []) {
      const circle = visit(target, [...path, file])
      if (circle.length > 0) return circle
    }
    done.add(file)
    return []
  }
  for (const file of graph.keys()) {
    const circle = visit(file, [])
    if (circle.length > 0) return circle
  }
  return []
}
