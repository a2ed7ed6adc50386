/** Checks of the verifiers' options. */

import { checkOptions } from '../../src/adapter.js'

type Check = (value: unknown, what: string) => void

/** Checks all options of a verifier. @throws TypeError for unknown options, invalid values and missing required options. */
export function checkVerifierOptions(
  owner: string,
  options: object,
  { known, required }: { known: Readonly<Record<string, Check>>; required: readonly string[] },
): void {
  checkOptions(owner, options, { known })
  const missing = required.filter((name) => (options as Record<string, unknown>)[name] === undefined)
  if (missing.length > 0) throw new TypeError(`${owner}: expected the option \`${missing[0]}\`, got none`)
}

export const text: Check = (value, what) => {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${what} to be a non-empty string`)
}

export const oneOrMoreTexts: Check = (value, what) => {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (values.length === 0) throw new TypeError(`${what} to name at least one; got none`)
  for (const item of values) text(item, what)
}

/** Checks a number of milliseconds or seconds. 0 is allowed. */
export const duration: Check = (value, what) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new TypeError(`${what} to be a whole number, 0 or more; got ${String(value)}`)
}

/** Checks a URL that keys come from or tokens are sent to. */
export const secureUrl: Check = (value, what) => {
  if (typeof value !== 'string' || !isSecure(value))
    throw new TypeError(`${what} to be an https URL (or http on loopback) without credentials or fragment`)
}

/** Whether `url` uses https, or http on loopback, and has no credentials or fragment. */
export function isSecure(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password, hash } = new URL(url)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
