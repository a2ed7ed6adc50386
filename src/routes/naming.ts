/** Names of route tools. The same route gets the same name on every framework. */

import type { Segment } from './discovery/path-template.js'
import type { Route } from './route.js'

/** Hosts prefix names with the server's name and reject names over 64 characters. */
const longestName = 60
const hashLength = 8
/** Maximum length of the first word in a shortened name. */
const longestHead = 30

/**
 * Returns the name of a route's tool: the marker's name, else the `operationId`, else method and path as in
 * `get_tasks_by_id`. Constraints are appended, because several routes may differ only in them: `get_tasks_v2`.
 */
export function nameOfRoute(route: Route): string {
  const { marker, schema, method, template, constraints = {} } = route
  if (marker?.name !== undefined) return marker.name
  const operation =
    schema?.operationId &&
    toAscii(schema.operationId)
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^_+|_+$/g, '')
  const conditions = Object.entries(constraints).map(([name, value]) =>
    name === 'version' ? `v${wordOf(value)}` : `${wordOf(name)}_${wordOf(value)}`,
  )
  if (operation !== undefined && operation !== '') return shortened([operation, ...conditions].join('_'))
  const words = template.segments.flatMap(wordsOf)
  return shortened(
    [method.toLowerCase(), ...(words.length === 0 ? ['root'] : words), ...conditions].join('_'),
  )
}

function wordsOf(segment: Segment): string[] {
  return segment.flatMap((part) => {
    const word = wordOf(part.kind === 'literal' ? part.text : part.name)
    if (word === '') return []
    return part.kind === 'literal' ? [word] : [`by_${word}`]
  })
}

function wordOf(text: string): string {
  return toAscii(decoded(text))
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
}

/** Decodes a literal. Apps declare paths with non-ASCII letters either raw or percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Verbs, which distinguish operations whose names are otherwise the same. */
const verbs: ReadonlySet<string> = new Set(
  (
    'accept activate add approve archive assign attach cancel check clear close convert copy create deactivate delete ' +
    'deny detach disable download edit enable exchange export fetch find generate get import invite list lock merge move ' +
    'patch post put read refresh reject release remove rename replace request reset restore resume retry revoke rotate ' +
    'run search send set show start stop submit suspend sync test transfer unarchive unassign unlock unset update upload upsert ' +
    'validate verify'
  ).split(' '),
)

/**
 * Shortens a name at word boundaries, in `snake_case` and `camelCase`. The verb and the last words stay; a hash of the
 * whole name replaces the rest. The result depends only on the name, not on other routes.
 */
function shortened(name: string): string {
  if (name.length <= longestName) return name
  const words = name.match(/[_-]*(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+)/g) ?? [name]
  const verb = words.slice(0, 4).findIndex((word) => verbs.has(word.replace(/^[_-]+/, '').toLowerCase()))
  const head = words
    .slice(0, Math.max(verb, 0) + 1)
    .join('')
    .slice(0, longestHead)
  const room = longestName - head.length - hashLength - 2
  let tail = ''
  for (const word of words.slice(Math.max(verb, 0) + 1).toReversed()) {
    const longer = word + tail
    if (longer.replace(/^[_-]+/, '').length > room) break
    tail = longer
  }
  const kept = tail.replace(/^[_-]+/, '') || name.slice(head.length).slice(-room)
  return `${head}_${kept}_${hash(name)}`
}

/** Returns the FNV-1a hash (32 bits) as 8 hexadecimal digits. It is the same on all machines and runtimes. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193)
  return (value >>> 0).toString(16).padStart(hashLength, '0')
}

/**
 * Removes accents, transliterates Cyrillic, Greek and special Latin letters, and replaces any other letter or digit by
 * its code point: `café` → `cafe`, `смета` → `smeta`, `用户` → `_u7528_u6237`. Different words stay different.
 */
export function toAscii(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^ -~]/gu, (letter) => letters[letter.toLowerCase()] ?? codePoint(letter))
}

function codePoint(character: string): string {
  if (!/[\p{L}\p{N}]/u.test(character)) return '_'
  return `_u${(character.codePointAt(0) as number).toString(16)}`
}

/** Pairs of a letter and its transliteration. */
const spellings = [
  'ß ss æ ae œ oe ø o ð d þ th đ d ħ h ı i ł l ŋ ng ŧ t а a б b в v г g д d е e ж zh з z и i к k л l м m н n',
  'о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ _ ы y ь _ э e ю yu я ya і i є ye ґ g ј j љ lj њ nj ћ c',
  'ђ dj џ dz α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch',
  'ψ ps ω o',
].flatMap((line) => line.split(/ (?=[^ -~])/))

const letters: Readonly<Record<string, string>> = Object.fromEntries(spellings.map((pair) => pair.split(' ')))
