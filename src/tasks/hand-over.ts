/** Hands a call that became a task to whoever runs it. */

import type { Identity } from '../protocol/identity.js'
import type { Exchange } from '../request/exchange.js'
import type { Peer } from '../request/peer.js'
import { idOf, tenantOf } from '../sessions/owner.js'
import type { RunningTask } from './task.js'
import type { OpenRunner, QueuedCaller } from './task-runner.js'

/**
 * Ends the run of a call that a worker runs from its beginning. Let it through: what is left of this run counts for
 * nothing.
 */
export class HandedOver extends Error {
  override readonly name: string = 'HandedOver'

  constructor() {
    super('the call became a task; a worker runs it')
  }
}

/** Resolves once the runner has it. */
export async function handOver(
  exchange: Exchange,
  runner: OpenRunner,
  { task, args }: { readonly task: RunningTask; readonly args: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { id, tool } = task
  const { client, clientRequests, identity, peer, revision } = exchange
  await runner.enqueue({
    taskId: id,
    tool,
    arguments: args,
    protocolVersion: revision.version,
    client,
    caller: identity === undefined ? {} : callerOf(identity, peer),
    rounds: clientRequests?.rounds ?? { id, answers: {} },
  })
}

/** Part by part: what else the host's objects hold stays here. */
function callerOf({ user, auth, scopes }: Identity, { userId }: Peer): QueuedCaller {
  const signedIn = user !== undefined && user !== null
  return {
    ...(signedIn && { id: idOf({ user, auth }, userId), tenant: tenantOf(user) ?? undefined }),
    ...(auth !== undefined && {
      auth: {
        subject: auth.subject,
        clientId: auth.clientId,
        scopes: auth.scopes,
        tenant: auth.tenant,
        claims: auth.claims,
      },
    }),
    scopes,
  }
}
