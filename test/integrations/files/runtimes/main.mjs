/** Loads a directory, changes its files, and prints what each of them said. */

import { readFile, writeFile } from 'node:fs/promises'
import { McpRouter } from 'mcp-router'
import { loadDirectory } from 'mcp-router/files'
import { testClient, textOf } from 'mcp-router/testing'

const quiet = { info() {}, warn() {}, error: console.error }
const router = new McpRouter({ name: 'runtimes', version: '1.0.0', logger: quiet })
const { files, close } = await loadDirectory(router, new URL('./mcp', import.meta.url), { watch: true })
const client = testClient(router)
await client.listen({ toolsListChanged: true })

const answers = async () => [
  textOf(await client.callTool('notesSearch', { word: 'milk' })),
  textOf(await client.callTool('old')),
  textOf(await client.readResource('notes://7')),
]

async function change(file) {
  const url = new URL(`./mcp/tools/${file}`, import.meta.url)
  const told = client.nextNotice('notifications/tools/list_changed')
  await writeFile(url, (await readFile(url, 'utf8')).replace('1', '2'))
  await told
}

// A watch keeps no process alive.
const server = setInterval(() => {}, 1_000)
const before = await answers()
await change('notes/search.ts')
await change('old.cjs')
console.log(JSON.stringify({ files, before, after: await answers() }))
clearInterval(server)
close()
client.close()
await router.close()
