// The official inspector's command line, in one of its three protocol eras.
import { commandFile, json } from './command.mjs'
import { expectFive, expectLists } from './expect.mjs'

export async function check(url, era) {
  const file = await commandFile('@modelcontextprotocol/inspector', 'mcp-inspector')
  const common = ['--cli', url, '--transport', 'http', '--protocol-era', era, '--format', 'json', '--quiet']
  const ask = async (method, ...options) => {
    const printed = await json(file, [...common, '--method', method, ...options])
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
