/** What a client needs of the server's table of methods: which parameter is repeated in `Mcp-Name`. */

const nameKeys: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

export function methodOf(method: string): { readonly nameKey: string | undefined } {
  return { nameKey: nameKeys[method] }
}

export function methodFor(): never {
  throw new Error('there is no router in the page')
}
