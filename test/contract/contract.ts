/** What every mount must do, whatever the framework. Each framework runs all of it. */

import { describe } from 'vitest'
import { accept } from './accept.js'
import { addresses } from './addresses.js'
import { appOrigins } from './app-origins.js'
import { asking } from './asking.js'
import { authExpiry } from './auth-expiry.js'
import { authMetadata } from './auth-metadata.js'
import { authOwners } from './auth-owners.js'
import { authScopes } from './auth-scopes.js'
import { authTokens } from './auth-tokens.js'
import { badInput } from './bad-input.js'
import { batches } from './batches.js'
import { blanks } from './blanks.js'
import { bodies } from './bodies.js'
import { callers } from './callers.js'
import { cancelledBatches } from './cancelled-batches.js'
import { closing } from './closing.js'
import { cors } from './cors.js'
import { crowd } from './crowd.js'
import { development } from './development.js'
import { getStreams } from './get-streams.js'
import type { Host } from './host.js'
import { hostFunctions } from './host-functions.js'
import { leaving } from './leaving.js'
import { legacySse } from './legacy-sse.js'
import { limits } from './limits.js'
import { longNames } from './long-names.js'
import { severalMachines } from './machines.js'
import { manyCalls } from './many-calls.js'
import { mirrors } from './mirrors.js'
import { movingStreams } from './moving-streams.js'
import { nested } from './nested.js'
import { notices } from './notices.js'
import { origins } from './origins.js'
import { ownerKinds } from './owner-kinds.js'
import { owners } from './owners.js'
import { perCaller } from './per-caller.js'
import { pipelined } from './pipelined.js'
import { resuming } from './resuming.js'
import { sessionValues } from './session-values.js'
import { sessions } from './sessions.js'
import { sight } from './sight.js'
import { slowLogins } from './slow-logins.js'
import { slowReaders } from './slow-readers.js'
import { streams } from './streams.js'
import { subscriptions } from './subscriptions.js'
import { tasks } from './tasks.js'
import { unsteadyValues } from './unsteady.js'
import { untouched } from './untouched.js'
import { verbs } from './verbs.js'
import { versions } from './versions.js'
import { watching } from './watching.js'

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
