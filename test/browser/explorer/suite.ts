/** What a person does with the explorer, on any host. */

import { describe } from 'vitest'
import type { Host } from '../../contract/host.js'
import { hostileServer } from './hostile-server.js'
import { explorerOn, hasChromium } from './page.js'
import { readable } from './readable.js'
import { recentCalls } from './recent-calls.js'
import { signingIn } from './signing-in.js'
import { trying } from './trying.js'

export function explorerSuite(name: string, host: Host): void {
  describe.skipIf(!hasChromium)(`the explorer on ${name}`, { timeout: 60_000 }, () => {
    const open = explorerOn(host)
    trying(open)
    recentCalls(open)
    signingIn(open)
    hostileServer(open)
    readable(open, [['light', 1200]])
  })
}
