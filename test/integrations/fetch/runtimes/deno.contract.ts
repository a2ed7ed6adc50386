import { mountContract } from '../../../contract/contract.js'
import { fetchHost } from '../host.js'
import { listenOnDeno, serveOnDeno } from '../listen-deno.js'
import { asItIs } from './as-it-is.js'

const inTurn = 'Deno reads the next request of a connection when the one before is answered'

mountContract(
  'Deno',
  fetchHost(listenOnDeno, [
    [/^aborts both calls of a connection that breaks/, inTurn],
    [/^answers them in turn, whichever is done first/, inTurn],
    [/^refuses a request without a host/, 'Deno puts its own address in the place of the missing one'],
    [/^answers before the body has come/, 'Deno sends an answer when the body has come'],
    [/^refuses a token of 64 KiB unread/, 'Deno refuses headers of that length itself, with 400'],
    [/^survives a client that leaves in the middle/, 'Deno closes on broken chunks without an answer'],
  ]),
)

asItIs(serveOnDeno)
