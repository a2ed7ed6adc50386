/** The caller's id: what sessions and everything else that outlives a request is bound to. */

import { runtime } from '#runtime'
import type { Identity } from '../protocol/identity.js'
import { toBase64Url } from '../support/base64.js'
import { isObject } from '../support/values.js'

/** Given by a mount: the stable id of a user. */
export type UserId = (user: unknown) => string | number | undefined

/** Anonymous, or a digest of caller and tenant; `unknown` for a signed-in caller whose id cannot be told. */
export type Owner =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'known'; readonly key: string }
  | { readonly kind: 'unknown' }

const idKeys = ['sub', 'id', '_id', 'userId'] as const
const tenantKeys = ['tenant', 'tenantId', 'tenant_id'] as const

/**
 * Default: issuer, tenant and subject of a checked token, else `sub`, `id`, `_id` or `userId` of the user, with their
 * tenant where they have one.
 */
export function ownerOf({ user, auth }: Identity, userId: UserId | undefined): Owner {
  if (userId !== undefined && user !== undefined && user !== null)
    return known('userId', userId(user), auth?.tenant)
  if (auth !== undefined)
    return known('subject', JSON.stringify([auth.claims.iss ?? null, auth.subject]), auth.tenant)
  if (user === undefined || user === null) return { kind: 'anonymous' }
  if (!isObject(user)) return known('user', user, undefined)
  const key = firstOf(user, idKeys)
  const tenant = tenantOf(user)
  return key === undefined || tenant === null ? { kind: 'unknown' } : known(key, user[key], tenant)
}

/** The tenant that a user of the app belongs to; `null`: they have one that cannot be told from others. */
export function tenantOf(user: unknown): string | null | undefined {
  if (!isObject(user)) return undefined
  const key = firstOf(user, tenantKeys)
  if (key === undefined) return undefined
  const tenant = user[key]
  const own = textOf(tenant)
  if (own !== undefined || !isObject(tenant)) return own ?? null
  // A relation that an ORM has loaded.
  const id = firstOf(tenant, idKeys)
  return id === undefined ? null : (textOf(tenant[id]) ?? null)
}

function firstOf<K extends string>(
  value: Readonly<Record<string, unknown>>,
  names: readonly K[],
): K | undefined {
  return names.find((name) => value[name] !== undefined && value[name] !== null)
}

/** What the app calls a user: what `userId` says, else their own id, else the subject of their token. */
export function idOf(
  { user, auth }: Pick<Identity, 'user' | 'auth'>,
  userId: UserId | undefined,
): string | number | undefined {
  const own = userId === undefined ? ownIdOf(user) : userId(user)
  if (typeof own === 'string' || typeof own === 'number') return own
  return own === undefined || own === null ? auth?.subject : String(own)
}

function ownIdOf(user: unknown): unknown {
  if (!isObject(user)) return user
  const key = firstOf(user, idKeys)
  return key === undefined ? undefined : user[key]
}

/** 32 bytes that stand for an owner; `undefined` for the anonymous one. */
export function digestOf(owner: Owner): Uint8Array | undefined {
  return owner.kind === 'known' ? runtime.sha256(owner.key) : undefined
}

interface BoundRequest {
  readonly identity: Identity | undefined
  readonly peer: { readonly userId: UserId | undefined }
}

/**
 * The digest that `what` is bound to, which outlives the call and is its caller's alone; `null`: an anonymous one.
 * Throws for a signed-in one whose id cannot be told.
 */
export function ownerDigest({ identity, peer }: BoundRequest, what: string): string | null {
  if (identity === undefined) return null
  const owner = ownerOf(identity, peer.userId)
  if (owner.kind === 'unknown') throw new Error(unbound(what))
  const digest = digestOf(owner)
  return digest === undefined ? null : toBase64Url(digest)
}

/** Why `what` cannot be bound to a caller whose id cannot be told. */
export function unbound(what: string): string {
  return `the signed-in caller has no \`sub\`, \`id\`, \`_id\` or \`userId\` to bind ${what} to; give the mount the option \`userId\``
}

export function isSameOwner(bound: Uint8Array | undefined, owner: Owner): boolean {
  const digest = digestOf(owner)
  if (bound === undefined || digest === undefined) return bound === undefined && owner.kind === 'anonymous'
  return bound.length === digest.length && bound.every((byte, index) => byte === digest[index])
}

/** Two logins may give the same id, so its kind is part of it. */
function known(kind: string, id: unknown, tenant: string | undefined): Owner {
  const text = textOf(id)
  if (text === undefined) return { kind: 'unknown' }
  return { kind: 'known', key: JSON.stringify([kind, text, tenant ?? null]) }
}

/** Ids are text, numbers, or objects that print themselves, as those of MongoDB do. `undefined` for everything else. */
function textOf(id: unknown): string | undefined {
  const text = typeof id === 'object' && id !== null ? String(id) : id
  if ((typeof text !== 'string' && typeof text !== 'number') || text === '' || text === '[object Object]')
    return undefined
  return String(text)
}

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
