// Every client set-up by name. Each one lists what the server has, calls `add`, and throws when something is wrong;
// what it returns is shown in its line. The modules are loaded when their client runs: each needs its own packages.
const v2 = async (url, mode) => (await import('./client-v2.mjs')).check(url, mode)
const aiSdk = async (url, discovery) => (await import('./ai-sdk.mjs')).check(url, discovery)
const inspector = async (url, era) => (await import('./inspector.mjs')).check(url, era)

export const clients = {
  'sdk-v1': async (url) => (await import('./sdk-v1.mjs')).check(url),
  'client-v2-legacy': (url) => v2(url, 'legacy'),
  'client-v2-auto': (url) => v2(url, 'auto'),
  'client-v2-modern': (url) => v2(url, { pin: '2026-07-28' }),
  'ai-sdk': (url) => aiSdk(url, true),
  'ai-sdk-legacy': (url) => aiSdk(url, false),
  langchain: async (url) => (await import('./langchain.mjs')).check(url),
  'openai-agents': async (url) => (await import('./openai-agents.mjs')).check(url),
  'inspector-legacy': (url) => inspector(url, 'legacy'),
  'inspector-auto': (url) => inspector(url, 'auto'),
  'inspector-modern': (url) => inspector(url, 'modern'),
  'mcp-remote': async (url) => (await import('./mcp-remote.mjs')).check(url),
  mcpc: async (url) => (await import('./mcpc.mjs')).check(url),
}
