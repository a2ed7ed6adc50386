/** A notebook over stdio, for the client that starts this process. No port is opened. */
import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { McpRouter, NotFoundError } from 'mcp-router'
import { serveStdio } from 'mcp-router/stdio'
import { z } from 'zod'

declare module 'mcp-router' {
  interface Register {
    user: { name: string }
    file: string
  }
}

const router = new McpRouter({ name: 'notebook', version: '1.0.0' })

router.tool('note_add', {
  description: 'Write a line into my notebook.',
  input: z.object({ text: z.string().min(1).max(1_000) }),
  async handler({ text }, { file, user, log }) {
    const lines = await read(file)
    await writeFile(file, `${[...lines, text].join('\n')}\n`)
    console.log(`${lines.length + 1} notes`) // goes to stderr, since stdout is for the protocol
    log.info('noted', { by: user.name })
    return `Noted as ${lines.length + 1}.`
  },
})

router.tool('note_forget', {
  description: 'Remove a line from my notebook, once I have agreed.',
  input: z.object({ number: z.number().int().positive() }),
  annotations: { destructive: true },
  async handler({ number }, ctx) {
    const lines = await read(ctx.file)
    const line = lines[number - 1]
    if (line === undefined) throw new NotFoundError(`There is no note ${number}`)
    const { action, content } = await ctx.elicit({
      message: `Remove "${line}"?`,
      schema: z.object({ sure: z.boolean() }),
    })
    if (action !== 'accept' || !content.sure) return 'Kept.'
    await writeFile(ctx.file, lines.filter((_, index) => index !== number - 1).join('\n'))
    return 'Removed.'
  },
})

router.resource('notebook://all', {
  description: 'My notebook.',
  handler: async (_, { file }) => (await read(file)).map((line, index) => `${index + 1}. ${line}`).join('\n'),
})

async function read(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

await serveStdio(router, {
  user: { name: userInfo().username },
  context: { file: process.env.NOTEBOOK ?? 'notebook.txt' },
})
