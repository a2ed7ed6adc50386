/** What every mount must do, whatever the framework. Each framework runs all of it. */

import { describe } from 'vitest'
import { accept } from './accept.js'
import { badInput } from './bad-input.js'
import { batches } from './batches.js'
import { bodies } from './bodies.js'
import { callers } from './callers.js'
import { closing } from './closing.js'
import { cors } from './cors.js'
import { crowd } from './crowd.js'
import type { Host } from './host.js'
import { leaving } from './leaving.js'
import { limits } from './limits.js'
import { mirrors } from './mirrors.js'
import { origins } from './origins.js'
import { owners } from './owners.js'
import { sessions } from './sessions.js'
import { streams } from './streams.js'
import { verbs } from './verbs.js'
import { versions } from './versions.js'

const topics: Record<string, (host: Host) => void> = {
  'bad input': badInput,
  Accept: accept,
  limits,
  'methods and addresses': verbs,
  'origins and hosts': origins,
  CORS: cors,
  'parsed bodies': bodies,
  callers,
  streams,
  leaving,
  closing,
  sessions,
  'owners of sessions': owners,
  batches,
  'mirrored headers': mirrors,
  versions,
  crowd,
}

export function mountContract(name: string, host: Host): void {
  describe(`the mount contract on ${name}`, () => {
    for (const [topic, tests] of Object.entries(topics)) describe(topic, () => tests(host))
  })
}
