/** Who a per-caller limit counts: the signed-in user, else the network that a request came from. */

import type { Identity } from '../context.js'
import { ownerOf, type UserId } from './owner.js'

export interface KeyedCaller {
  /** `undefined`: nobody has been asked, or the login failed. */
  readonly identity: Pick<Identity, 'user' | 'auth'> | undefined
  readonly userId: UserId | undefined
  readonly ip: string | undefined
}

/** `undefined`: an anonymous caller whose address nobody knows. Only the limits for all callers hold then. */
export function callerKeyOf({ identity, userId, ip }: KeyedCaller): string | undefined {
  const owner = identity === undefined ? undefined : ownerOf(identity as Identity, userId)
  if (owner?.kind === 'known') return owner.key
  return ip === undefined || ip === '' ? undefined : networkOf(ip)
}

/** An IPv4 address, or the /64 of an IPv6 address: a single host usually has all of that. */
export function networkOf(ip: string): string {
  const address = ip.toLowerCase()
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
