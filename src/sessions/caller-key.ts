/** Who a per-caller limit counts: the signed-in user, else the network that a request came from. */

import type { Identity } from '../protocol/identity.js'
import { ownerOf, type UserId } from './owner.js'

export interface KeyedCaller {
  /** `undefined`: nobody has been asked, or the login failed. */
  readonly identity: Pick<Identity, 'user' | 'auth'> | undefined
  readonly userId: UserId | undefined
}

/** The key of a caller. `address` is asked for where nobody is signed in; `undefined`: only the limits for all callers hold. */
export function callerKeyOf(
  { identity, userId }: KeyedCaller,
  address: () => string | undefined,
): string | undefined {
  const owner = identity === undefined ? undefined : ownerOf(identity as Identity, userId)
  return owner?.kind === 'known' ? owner.key : networkOf(address())
}

/** An IPv4 address, or the /64 of an IPv6 address: a single host usually has all of that. `undefined`: it is no address. */
function networkOf(ip: string | undefined): string | undefined {
  const address = ip === undefined ? undefined : plainAddressOf(ip)?.toLowerCase()
  if (address === undefined) return undefined
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)
  if (mapped !== null) return mapped[1] as string
  if (!address.includes(':')) return address
  const [head = '', tail] = (address.split('%')[0] as string).split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last]
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}

/** The longest text that holds an address, a zone and a port. */
const longestAddress = 70

/** Without a port, which some proxies add. `undefined`: what a proxy passed on unread is no address. */
export function plainAddressOf(ip: string): string | undefined {
  if (ip.length > longestAddress) return undefined
  const [, v4, v6] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$|^\[([^\]]+)\](?::\d+)?$/.exec(ip) ?? []
  const address = v4 ?? v6 ?? ip
  return /^[\da-f:.]{2,45}(?:%[\w.-]{1,15})?$/i.test(address) ? address : undefined
}
