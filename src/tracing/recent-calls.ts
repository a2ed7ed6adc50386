/** The last calls of a router, kept in memory for people who look at it. */

import type { Identity } from '../protocol/identity.js'
import type { Params } from '../protocol/types.js'
import type { MethodInfo } from '../request/attachments.js'
import type { Exchange } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { type Owner, ownerOf } from '../sessions/owner.js'
import type { ActivityEntry } from '../support/hooks.js'

export interface RecentCall extends Omit<ActivityEntry, 'user'> {
  readonly id: number
  /** The caller's id; `undefined`: nobody signed in, or nobody knows. */
  readonly caller: string | undefined
  /** What the client calls itself. */
  readonly client: string | undefined
  /** What the call can be made again with; left out where that is much. */
  readonly params: Params | undefined
}

const mostCalls = 200
/** Bytes of parameters that are kept with a call. */
const mostBytes = 16 * 1024

interface Noted {
  readonly owner: Owner
  readonly call: RecentCall
}

export class RecentCalls {
  #noted: Noted[] = []
  #ids = 0

  /** Whether a request is noted: calls are; lists and handshakes are not. */
  takes(method: MethodInfo | undefined): boolean {
    const { runs } = method ?? {}
    return runs !== undefined && runs !== 'completion'
  }

  add({ params, identity, peer, client }: Exchange, { user: _, ...entry }: ActivityEntry): void {
    const owner: Owner = identity === undefined ? { kind: 'unknown' } : viewerOf(identity, peer)
    this.#ids += 1
    const call = {
      ...entry,
      id: this.#ids,
      caller: callerOf(owner),
      client: client?.name,
      params: entry.inputBytes > mostBytes ? undefined : repeatable(params),
    }
    this.#noted.push({ owner, call })
    if (this.#noted.length > mostCalls) this.#noted.shift()
  }

  /** Newest first. `undefined`: everybody's. */
  of(owner: Owner | undefined): RecentCall[] {
    return this.#noted
      .filter((one) => isOf(owner, one))
      .map(({ call }) => call)
      .reverse()
  }

  clear(owner: Owner | undefined): void {
    this.#noted = this.#noted.filter((one) => !isOf(owner, one))
  }
}

/** Whose calls these are. Anonymous callers have none of their own, but for whoever holds the key of the explorer. */
export function viewerOf(identity: Identity, { userId, holdsExplorerKey }: Viewer): Owner {
  const owner = ownerOf(identity, userId)
  return owner.kind === 'anonymous' && holdsExplorerKey === true ? keyHolder : owner
}

type Viewer = Pick<Peer, 'userId' | 'holdsExplorerKey'>

const keyHolder: Owner = { kind: 'known', key: JSON.stringify(['explorer', null]) }

/** Who has no id cannot be told from others who have none: nothing is theirs alone. */
function isOf(owner: Owner | undefined, { owner: caller }: Noted): boolean {
  if (owner === undefined) return true
  return owner.kind === 'known' && caller.kind === 'known' && owner.key === caller.key
}

function callerOf(owner: Owner): string | undefined {
  if (owner.kind !== 'known') return undefined
  if (owner === keyHolder) return undefined
  const [kind, id] = JSON.parse(owner.key) as [string, string]
  return kind === 'subject' ? String((JSON.parse(id) as unknown[])[1]) : id
}

/** Without what belongs to that one request. */
function repeatable({ _meta, inputResponses, requestState, ...params }: Params): Params {
  return params
}
