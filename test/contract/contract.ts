/** What every mount must do, whatever the framework. Each framework runs all of it. */

import { describe } from 'vitest'
import { accept } from './accept.js'
import { addresses } from './addresses.js'
import { appOrigins } from './app-origins.js'
import { badInput } from './bad-input.js'
import { batches } from './batches.js'
import { blanks } from './blanks.js'
import { bodies } from './bodies.js'
import { callers } from './callers.js'
import { cancelledBatches } from './cancelled-batches.js'
import { closing } from './closing.js'
import { cors } from './cors.js'
import { crowd } from './crowd.js'
import type { Host } from './host.js'
import { hostFunctions } from './host-functions.js'
import { leaving } from './leaving.js'
import { limits } from './limits.js'
import { longNames } from './long-names.js'
import { manyCalls } from './many-calls.js'
import { mirrors } from './mirrors.js'
import { nested } from './nested.js'
import { origins } from './origins.js'
import { ownerKinds } from './owner-kinds.js'
import { owners } from './owners.js'
import { pipelined } from './pipelined.js'
import { sessions } from './sessions.js'
import { slowLogins } from './slow-logins.js'
import { slowReaders } from './slow-readers.js'
import { streams } from './streams.js'
import { untouched } from './untouched.js'
import { verbs } from './verbs.js'
import { versions } from './versions.js'

const topics: Record<string, (host: Host) => void> = {
  'bad input': badInput,
  Accept: accept,
  limits,
  'long names': longNames,
  'methods and addresses': verbs,
  'spellings of addresses': addresses,
  'origins and hosts': origins,
  'origins of extensions': appOrigins,
  CORS: cors,
  'parsed bodies': bodies,
  callers,
  'functions of the host': hostFunctions,
  'slow logins': slowLogins,
  streams,
  'slow readers': slowReaders,
  leaving,
  pipelining: pipelined,
  closing,
  sessions,
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
  'what stays as it was': untouched,
}

export function mountContract(name: string, host: Host): void {
  describe(`the mount contract on ${name}`, () => {
    for (const [topic, tests] of Object.entries(topics)) describe(topic, () => tests(host))
  })
}
