/** The part of the server's table of methods that a client needs. */

interface Method {
  /** The parameter that `Mcp-Name` repeats. */
  readonly nameKey: string
  readonly runs?: string
}

const methods: Readonly<Record<string, Method>> = {
  'tools/call': { nameKey: 'name', runs: 'tool' },
  'prompts/get': { nameKey: 'name', runs: 'prompt' },
  'resources/read': { nameKey: 'uri', runs: 'resource' },
  'tasks/get': { nameKey: 'taskId' },
  'tasks/update': { nameKey: 'taskId' },
  'tasks/cancel': { nameKey: 'taskId' },
}

export function methodOf(method: string): { readonly nameKey: string | undefined } {
  return { nameKey: methods[method]?.nameKey }
}

export function methodFor(runs: string): [name: string, method: Method] {
  const found = Object.entries(methods).find(([, method]) => method.runs === runs)
  if (found === undefined) throw new Error(`no method runs a ${runs}`)
  return found
}
