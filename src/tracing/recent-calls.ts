/** The last calls of a router, kept in memory for the explorer. */

import type { Identity } from '../protocol/identity.js'
import type { Params } from '../protocol/types.js'
import type { MethodInfo } from '../request/attachments.js'
import type { Exchange } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { type Owner, ownerOf } from '../sessions/owner.js'
import type { ActivityEntry } from '../support/hooks.js'

export interface RecentCall extends Omit<ActivityEntry, 'user'> {
  readonly id: number
  /** The caller's id; `undefined` if the caller is anonymous or unknown. */
  readonly caller: string | undefined
  /** The client's name, from its `clientInfo`. */
  readonly client: string | undefined
  /** The parameters for repeating the call; `undefined` if they exceed 16 KiB. */
  readonly params: Params | undefined
}

const maxCalls = 200
/** Calls with larger parameters are kept without them. */
const maxParamsBytes = 16 * 1024

interface RecordedCall {
  readonly owner: Owner
  readonly call: RecentCall
}

export class RecentCalls {
  #calls: RecordedCall[] = []
  #lastId = 0

  /** Whether to record requests of `method`: calls, but not lists and handshakes. */
  records(method: MethodInfo | undefined): boolean {
    const { runs } = method ?? {}
    return runs !== undefined && runs !== 'completion'
  }

  add({ params, identity, peer, client }: Exchange, { user: _, ...entry }: ActivityEntry): void {
    const owner: Owner = identity === undefined ? { kind: 'unknown' } : viewerOf(identity, peer)
    this.#lastId += 1
    const call = {
      ...entry,
      id: this.#lastId,
      caller: callerIdOf(owner),
      client: client?.name,
      params: entry.inputBytes > maxParamsBytes ? undefined : repeatableParams(params),
    }
    this.#calls.push({ owner, call })
    if (this.#calls.length > maxCalls) this.#calls.shift()
  }

  /** The calls of `owner`, newest first; everybody's if `undefined`. */
  list(owner: Owner | undefined): RecentCall[] {
    return this.#calls
      .filter((one) => isOwnedBy(owner, one))
      .map(({ call }) => call)
      .reverse()
  }

  clear(owner: Owner | undefined): void {
    this.#calls = this.#calls.filter((one) => !isOwnedBy(owner, one))
  }
}

/** The owner whose calls a viewer sees. All anonymous holders of the explorer key count as one owner. */
export function viewerOf(identity: Identity, { userId, holdsExplorerKey }: Viewer): Owner {
  const owner = ownerOf(identity, userId)
  return owner.kind === 'anonymous' && holdsExplorerKey === true ? keyHolder : owner
}

type Viewer = Pick<Peer, 'userId' | 'holdsExplorerKey'>

const keyHolder: Owner = { kind: 'known', key: JSON.stringify(['explorer', null]) }

/** Whether `owner` made the call. Callers without an id can't be told apart, so they own no calls. */
function isOwnedBy(owner: Owner | undefined, { owner: caller }: RecordedCall): boolean {
  if (owner === undefined) return true
  return owner.kind === 'known' && caller.kind === 'known' && owner.key === caller.key
}

function callerIdOf(owner: Owner): string | undefined {
  if (owner.kind !== 'known') return undefined
  if (owner === keyHolder) return undefined
  const [kind, id] = JSON.parse(owner.key) as [string, string]
  return kind === 'subject' ? String((JSON.parse(id) as unknown[])[1]) : id
}

/** The parameters without the members that belong to a single request. */
function repeatableParams({ _meta, inputResponses, requestState, ...params }: Params): Params {
  return params
}
