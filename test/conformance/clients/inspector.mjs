// The official inspector's command line, in one of its three protocol eras.
import { commandFile, json } from './command.mjs'
import { expectFive, expectLists } from './expect.mjs'

export async function check({ url, command, args }, era) {
  const file = await commandFile('@modelcontextprotocol/inspector', 'mcp-inspector')
  const before = url ? ['--cli', url, '--transport', 'http'] : ['--cli']
  const common = ['--protocol-era', era, '--format', 'json', '--quiet']
  const after = url ? [] : ['--', command, ...args]
  const ask = async (method, ...options) => {
    const printed = await json(file, [...before, ...common, '--method', method, ...options, ...after])
    return printed.result ?? printed
  }
  const { tools } = await ask('tools/list')
  const { resources } = await ask('resources/list')
  const { prompts } = await ask('prompts/list')
  const lists = expectLists({ tools, resources, prompts })
  const call = ['--tool-name', 'add', '--tool-arg', 'a=2', '--tool-arg', 'b=3']
  expectFive(await ask('tools/call', ...call))
  return lists
}
