/** Identifies callers: the owner that sessions and tasks are bound to, and the key that per-caller limits count by. */

import { runtime } from '#runtime'
import type { Identity } from '../protocol/identity.js'
import { toBase64Url } from '../support/base64.js'
import { isObject } from '../support/values.js'

/** The mount option `userId`: returns the stable id of a user. */
export type UserId = (user: unknown) => string | number | undefined

/** An anonymous caller, a caller with an id and tenant, or a signed-in caller without a usable id (`unknown`). */
export type Owner =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'known'; readonly key: string }
  | { readonly kind: 'unknown' }

const idKeys = ['sub', 'id', '_id', 'userId'] as const
const tenantKeys = ['tenant', 'tenantId', 'tenant_id'] as const

/**
 * Returns the owner for a caller: by `userId` if given, else by issuer, tenant and subject of a verified token, else by
 * `sub`, `id`, `_id` or `userId` of the user, with the user's tenant if there is one.
 */
export function ownerOf({ user, auth }: Identity, userId: UserId | undefined): Owner {
  if (userId !== undefined && user !== undefined && user !== null)
    return knownOwner('userId', userId(user), auth?.tenant)
  if (auth !== undefined)
    return knownOwner('subject', JSON.stringify([auth.claims.iss ?? null, auth.subject]), auth.tenant)
  if (user === undefined || user === null) return { kind: 'anonymous' }
  if (!isObject(user)) return knownOwner('user', user, undefined)
  const key = firstSetKey(user, idKeys)
  const tenant = tenantOf(user)
  return key === undefined || tenant === null ? { kind: 'unknown' } : knownOwner(key, user[key], tenant)
}

/** The tenant of the app's user; `undefined` without a tenant, `null` for a tenant without a usable id. */
export function tenantOf(user: unknown): string | null | undefined {
  if (!isObject(user)) return undefined
  const key = firstSetKey(user, tenantKeys)
  if (key === undefined) return undefined
  const tenant = user[key]
  const tenantId = idText(tenant)
  if (tenantId !== undefined || !isObject(tenant)) return tenantId ?? null
  // The tenant is an object, such as a relation loaded by an ORM.
  const id = firstSetKey(tenant, idKeys)
  return id === undefined ? null : (idText(tenant[id]) ?? null)
}

function firstSetKey<K extends string>(
  value: Readonly<Record<string, unknown>>,
  names: readonly K[],
): K | undefined {
  return names.find((name) => value[name] !== undefined && value[name] !== null)
}

/** The id of a user: by `userId` if given, else the user's own id, else the subject of the token. */
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
  const key = firstSetKey(user, idKeys)
  return key === undefined ? undefined : user[key]
}

/** The 32-byte digest of an owner; `undefined` for anonymous and unknown callers. */
export function digestOf(owner: Owner): Uint8Array | undefined {
  return owner.kind === 'known' ? runtime.sha256(owner.key) : undefined
}

interface BoundRequest {
  readonly identity: Identity | undefined
  readonly peer: { readonly userId: UserId | undefined }
}

/**
 * Returns the digest of the owner that `what` is bound to; `null` for an anonymous caller. `what` names a resource that
 * outlives the call, for the error message. Throws for a signed-in caller without a usable id.
 */
export function ownerDigest({ identity, peer }: BoundRequest, what: string): string | null {
  if (identity === undefined) return null
  const owner = ownerOf(identity, peer.userId)
  if (owner.kind === 'unknown') throw new Error(missingIdMessage(what))
  const digest = digestOf(owner)
  return digest === undefined ? null : toBase64Url(digest)
}

/** The error message for a signed-in caller without a usable id. */
export function missingIdMessage(what: string): string {
  return `the signed-in caller has no \`sub\`, \`id\`, \`_id\` or \`userId\` to bind ${what} to; give the mount the option \`userId\``
}

/** Whether `owner` is the one with the digest `bound`, which is `undefined` for anonymous owners. */
export function isSameOwner(bound: Uint8Array | undefined, owner: Owner): boolean {
  const digest = digestOf(owner)
  if (bound === undefined || digest === undefined) return bound === undefined && owner.kind === 'anonymous'
  return bound.length === digest.length && bound.every((byte, index) => byte === digest[index])
}

/** Creates a known owner. The key contains the kind of id, because two logins may use the same id for different users. */
function knownOwner(kind: string, id: unknown, tenant: string | undefined): Owner {
  const text = idText(id)
  if (text === undefined) return { kind: 'unknown' }
  return { kind: 'known', key: JSON.stringify([kind, text, tenant ?? null]) }
}

/** An id as text: strings, numbers, and objects with their own `toString`, such as MongoDB's. `undefined` for other values. */
function idText(id: unknown): string | undefined {
  const text = typeof id === 'object' && id !== null ? String(id) : id
  if ((typeof text !== 'string' && typeof text !== 'number') || text === '' || text === '[object Object]')
    return undefined
  return String(text)
}

export interface KeyedCaller {
  /** `undefined` if the caller isn't resolved yet, or the login failed. */
  readonly identity: Pick<Identity, 'user' | 'auth'> | undefined
  readonly userId: UserId | undefined
}

/**
 * The key that per-caller limits count by: the owner's key, or the network of `address()` if nobody is signed in.
 * `undefined` if neither is known: then only the limits for all callers apply.
 */
export function callerKeyOf(
  { identity, userId }: KeyedCaller,
  address: () => string | undefined,
): string | undefined {
  const owner = identity === undefined ? undefined : ownerOf(identity as Identity, userId)
  return owner?.kind === 'known' ? owner.key : toNetwork(address())
}

/** An IPv4 address, or the /64 of an IPv6 address, since one host usually has a whole /64. `undefined` for invalid addresses. */
function toNetwork(ip: string | undefined): string | undefined {
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

/** The maximum length of an address with a zone and a port. */
const maxAddressLength = 70

/** Strips a port, which some proxies add. Returns `undefined` for text that isn't an IP address: clients may forge headers. */
export function plainAddressOf(ip: string): string | undefined {
  if (ip.length > maxAddressLength) return undefined
  const [, v4, v6] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$|^\[([^\]]+)\](?::\d+)?$/.exec(ip) ?? []
  const address = v4 ?? v6 ?? ip
  return /^[\da-f:.]{2,45}(?:%[\w.-]{1,15})?$/i.test(address) ? address : undefined
}
