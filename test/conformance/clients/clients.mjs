// Every client set-up by name. Each one lists what the server has, calls `add`, and throws when something is wrong;
// what it returns is shown in its line.
// `target` is `{ url }`, or `{ command, args }` of a server that is started and talks over stdio. The modules are loaded when their client runs: each needs its own packages.
const v2 = async (target, mode) => (await import('./client-v2.mjs')).check(target, mode)
const aiSdk = async (target, discovery) => (await import('./ai-sdk.mjs')).check(target, discovery)
const inspector = async (target, era) => (await import('./inspector.mjs')).check(target, era)

export const clients = {
  'sdk-v1': async (target) => (await import('./sdk-v1.mjs')).check(target),
  'client-v2-legacy': (target) => v2(target, 'legacy'),
  'client-v2-auto': (target) => v2(target, 'auto'),
  'client-v2-modern': (target) => v2(target, { pin: '2026-07-28' }),
  'ai-sdk': (target) => aiSdk(target, true),
  'ai-sdk-legacy': (target) => aiSdk(target, false),
  langchain: async (target) => (await import('./langchain.mjs')).check(target),
  'openai-agents': async (target) => (await import('./openai-agents.mjs')).check(target),
  'inspector-legacy': (target) => inspector(target, 'legacy'),
  'inspector-auto': (target) => inspector(target, 'auto'),
  'inspector-modern': (target) => inspector(target, 'modern'),
  'mcp-remote': async (target) => (await import('./mcp-remote.mjs')).check(target),
  mcpc: async (target) => (await import('./mcpc.mjs')).check(target),
}

/** Those that have no other transport than HTTP. */
export const httpOnly = ['mcp-remote']
