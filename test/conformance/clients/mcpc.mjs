// @apify/mcpc: a command line whose background process keeps one connection over several commands.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandFile, json, node } from './command.mjs'
import { expectFive, expectLists } from './expect.mjs'

export async function check({ url, command, args }) {
  const home = await mkdtemp(join(tmpdir(), 'mcpc-'))
  const env = { HOME: home, MCPC_HOME_DIR: join(home, 'state') }
  const file = await commandFile('@apify/mcpc', 'mcpc')
  const ask = (...args) => json(file, ['--json', '@checked', ...args], env)
  const settings = join(home, 'servers.json')
  await writeFile(settings, JSON.stringify({ mcpServers: { checked: { command, args } } }))
  try {
    await node(file, ['connect', url ?? `${settings}:checked`, '@checked'], env)
    const lists = expectLists({
      tools: await ask('tools-list'),
      resources: await ask('resources-list'),
      prompts: await ask('prompts-list'),
    })
    expectFive(await ask('tools-call', 'add', 'a:=2', 'b:=3'))
    return lists
  } finally {
    await node(file, ['close', '@checked'], env).catch(() => {})
    await rm(home, { recursive: true, force: true })
  }
}
