import { mountContract } from '../../../contract/contract.js'
import { fetchHost } from '../host.js'
import { listenOnBun, serveOnBun } from '../listen-bun.js'
import { asItIs } from './as-it-is.js'

const inTurn = 'Bun reads the next request of a connection when the one before is answered'

mountContract(
  'Bun',
  fetchHost(listenOnBun, [
    [/^aborts both calls of a connection that breaks/, inTurn],
    [/^answers them in turn, whichever is done first/, inTurn],
  ]),
)

asItIs(serveOnBun)
