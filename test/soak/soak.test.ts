/** The short form of `npm run soak`, on all hosts at once: too short to see memory grow, long enough for all the rest. */

import { it } from 'vitest'
import { hosts, soak } from './soak.js'
import { visits } from './visits.js'

it.concurrent.for([...hosts])(
  'clients that leave, stall, lie and come back leave nothing unanswered, uncaught or behind on %s',
  { timeout: 120_000 },
  async (host, { expect }) => {
    const { wrong, unanswered, uncaught, left, visits: done } = await soak({ host, seconds: 10, clients: 8 })
    expect({ wrong, unanswered, uncaught, left }).toEqual({
      wrong: [],
      unanswered: [],
      uncaught: [],
      left: { running: 0, streams: 0 },
    })
    expect(Object.keys(done).sort()).toEqual(Object.keys(visits).sort())
  },
)
