/** What every mount must do, whatever the framework. Each framework runs all of it. */

import { describe } from 'vitest'
import { watching } from './core/activity.js'
import { authExpiry } from './core/auth-expiry.js'
import { authOwners } from './core/auth-owners.js'
import { authScopes } from './core/auth-scopes.js'
import { authTokens } from './core/auth-tokens.js'
import { badInput } from './core/bad-input.js'
import { batches } from './core/batches.js'
import { blanks } from './core/blanks.js'
import { callers } from './core/callers.js'
import { cancelledBatches } from './core/cancelled-batches.js'
import { asking } from './core/client-requests.js'
import { crowd } from './core/crowd.js'
import { longNames } from './core/long-names.js'
import { manyCalls } from './core/many-calls.js'
import { movingStreams } from './core/moving-streams.js'
import { nested } from './core/nested.js'
import { notices } from './core/notifications.js'
import { ownerKinds } from './core/owner-kinds.js'
import { owners } from './core/owners.js'
import { perCaller } from './core/per-caller.js'
import { mirrors } from './core/request-headers.js'
import { resuming } from './core/resuming.js'
import { sessionValues } from './core/session-values.js'
import { sessions } from './core/sessions.js'
import { severalMachines } from './core/several-machines.js'
import { subscriptions } from './core/subscriptions.js'
import { tasks } from './core/tasks.js'
import { unsteadyValues } from './core/unsteady-values.js'
import { versions } from './core/versions.js'
import { sight } from './core/visibility.js'
import type { Host } from './host.js'
import { accept } from './mount/accept.js'
import { addresses } from './mount/addresses.js'
import { appOrigins } from './mount/app-origins.js'
import { authMetadata } from './mount/auth-metadata.js'
import { bodies } from './mount/bodies.js'
import { closing } from './mount/closing.js'
import { cors } from './mount/cors.js'
import { development } from './mount/development.js'
import { getStreams } from './mount/get-streams.js'
import { hostFunctions } from './mount/host-functions.js'
import { leaving } from './mount/leaving.js'
import { legacySse } from './mount/legacy-sse.js'
import { limits } from './mount/limits.js'
import { origins } from './mount/origins.js'
import { pipelined } from './mount/pipelining.js'
import { slowLogins } from './mount/slow-logins.js'
import { slowReaders } from './mount/slow-readers.js'
import { streams } from './mount/streams.js'
import { untouched } from './mount/untouched.js'
import { verbs } from './mount/verbs.js'

const topics: Record<string, (host: Host) => void> = {
  'bad input': badInput,
  Accept: accept,
  limits,
  'limits of one caller': perCaller,
  'long names': longNames,
  'methods and addresses': verbs,
  'spellings of addresses': addresses,
  'origins and hosts': origins,
  'origins of extensions': appOrigins,
  CORS: cors,
  'parsed bodies': bodies,
  callers,
  'access tokens': authTokens,
  'scopes and visibility': authScopes,
  'owners by token': authOwners,
  'tokens that end': authExpiry,
  'metadata of the protected resource': authMetadata,
  'without NODE_ENV': development,
  'functions of the host': hostFunctions,
  'slow logins': slowLogins,
  streams,
  'slow readers': slowReaders,
  'GET streams': getStreams,
  notices,
  subscriptions,
  'notices of what is hidden': sight,
  resuming,
  'the 2024-11-05 transport': legacySse,
  'several machines': severalMachines,
  'streams that move between machines': movingStreams,
  leaving,
  pipelining: pipelined,
  closing,
  watching,
  sessions,
  'values of sessions': sessionValues,
  'owners of sessions': owners,
  'kinds of owners': ownerKinds,
  batches,
  'cancelled batches': cancelledBatches,
  'mirrored headers': mirrors,
  'blanks around headers': blanks,
  versions,
  'calls within calls': nested,
  crowd,
  'many calls': manyCalls,
  'values that change': unsteadyValues,
  'what stays as it was': untouched,
  'questions to the client': asking,
  tasks,
}

export function mountContract(name: string, host: Host): void {
  describe(`the mount contract on ${name}`, () => {
    for (const [topic, tests] of Object.entries(topics)) describe(topic, () => tests(host))
  })
}
