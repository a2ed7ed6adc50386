/** The type tests compile, and our signatures cost hardly more than the barest ones that could do the job. */
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, vi } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const work = `${root}.cache/types-budget`

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describe('type tests', () => {
  it.each(['inference', 'register', 'parameter'])('%s compiles', async (folder) => {
    expect(await compile(`test/types/${folder}`)).toMatch(/^Instantiations:/m)
  })
})

describe('the cost of 40 zod tools', () => {
  beforeAll(async () => {
    await rm(work, { recursive: true, force: true })
    const declarations = ['--emitDeclarationOnly', '--outDir', `${work}/package`]
    await tsc(['-p', 'tsconfig.build.json', ...declarations])
  })

  it('is at most a tenth above bare `~standard` signatures', async () => {
    const bare = await instantiations('bare', BARE)
    const ours = await instantiations('ours', OURS)
    expect(ours / bare, `${ours} instantiations, bare signatures ${bare}`).toBeLessThanOrEqual(1.1)
  })
})

const OURS = `
import { McpRouter } from 'mcp-router'
const router = new McpRouter({ name: 'budget', version: '1.0.0' })
`

const BARE = `
import type { StandardSchemaV1 } from 'mcp-router'
type Types<S extends StandardSchemaV1> = NonNullable<S['~standard']['types']>
declare const router: {
  tool<I extends StandardSchemaV1, O extends StandardSchemaV1>(
    name: string,
    options: {
      description: string
      input: I
      output: O
      handler: (input: Types<I>['output'], ctx: { signal: AbortSignal }) => Promise<Types<O>['input']>
    },
  ): void
}
`

function toolSource(n: number): string {
  return `
router.tool('tool_${n}', {
  description: 'Tool ${n}',
  input: z.object({
    id${n}: z.string(),
    limit: z.number().int().max(100).default(${n}),
    status: z.enum(['open', 'done']).optional(),
    tags: z.array(z.string()),
    owner: z.object({ id: z.number(), name: z.string() }),
  }),
  output: z.object({
    items: z.array(z.object({ id: z.string(), tags: z.array(z.string()), at: z.object({ from: z.number(), to: z.number().optional() }) })),
    total${n}: z.number(),
  }),
  handler: async ({ id${n}, limit, status, tags, owner }, ctx) => ({
    items: [{ id: id${n} + owner.name + (status ?? '') + ctx.signal.aborted, tags, at: { from: limit } }],
    total${n}: owner.id,
  }),
})
`
}

async function instantiations(name: string, signatures: string): Promise<number> {
  const folder = `${work}/${name}`
  await mkdir(folder)
  const tools = Array.from({ length: 40 }, (_, n) => toolSource(n)).join('')
  await writeFile(`${folder}/tools.ts`, `import { z } from 'zod'\n${signatures}${tools}`)
  await writeFile(
    `${folder}/tsconfig.json`,
    JSON.stringify({
      extends: `${root}tsconfig.json`,
      compilerOptions: { paths: { 'mcp-router': [`${work}/package/src/index.d.ts`] } },
      include: ['tools.ts'],
    }),
  )
  return Number(/^Instantiations:\s+(\d+)$/m.exec(await compile(folder))?.[1])
}

function compile(folder: string): Promise<string> {
  return tsc(['-p', folder, '--extendedDiagnostics', '--singleThreaded'])
}

/** What the compiler printed; a test that fails shows its errors. */
async function tsc(args: string[]): Promise<string> {
  try {
    return (await run(process.execPath, ['node_modules/typescript/bin/tsc', ...args], { cwd: root })).stdout
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout)
  }
}
