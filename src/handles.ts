/** What a definition hands back: what it says, and the ways to change or remove it while clients are connected. */

import type { Entry } from './entries.js'
import type { Served } from './registry.js'

export type HandleKind = 'tool' | 'resource' | 'prompt'

export interface Handle<K extends HandleKind = HandleKind> {
  readonly kind: K
  /** With the prefixes of the routers in between. */
  readonly name: string
  /** Resources only: the URI or the URI template. */
  readonly uri: string | undefined
  readonly title: string | undefined
  readonly description: string | undefined
  /** Tools only: as published. */
  readonly inputSchema: object | undefined
  readonly outputSchema: object | undefined
  readonly annotations: object | undefined
  /** Changes some of its options; the others stay. Takes effect with the next request. @throws as the definition did. */
  update(changes: object): void
  /** False when it was gone already. */
  remove(): boolean
}

export function toHandle(served: Served, rebuild: (entry: Entry, changes: object) => Entry): Handle {
  const { name, key, registry } = served
  let { entry } = served
  const { listed, options, kind } = entry
  return {
    kind: kind === 'template' ? 'resource' : kind,
    name,
    uri: kind === 'resource' || kind === 'template' ? key : undefined,
    title: listed.title as string | undefined,
    description: options.description as string | undefined,
    inputSchema: listed.inputSchema as object | undefined,
    outputSchema: listed.outputSchema as object | undefined,
    annotations: listed.annotations as object | undefined,
    update(changes) {
      const changed = rebuild(entry, changes)
      registry.replace(changed)
      entry = changed
    },
    remove: () => registry.remove(entry.kind, entry.key),
  }
}
