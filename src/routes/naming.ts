/** What the tool of a route is called. The same routes have the same names on every framework. */

import type { Route } from './route.js'
import type { Segment } from './template.js'

/** Hosts put the server's name in front and refuse what is longer than 64. */
const longestName = 60
const hashLength = 8

/**
 * The name given, else the `operationId`, else method and path: `get_tasks_by_id`; and then its constraints, since routes
 * that differ in them alone are several: `get_tasks_v2`.
 */
export function nameOfRoute(route: Route): string {
  const { marker, schema, method, template, constraints = {} } = route
  if (marker?.name !== undefined) return marker.name
  const operation = schema?.operationId?.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '')
  const asked = Object.entries(constraints).map(([name, value]) =>
    name === 'version' ? `v${wordOf(value)}` : `${wordOf(name)}_${wordOf(value)}`,
  )
  if (operation !== undefined && operation !== '') return fitted([operation, ...asked].join('_'))
  const words = template.segments.flatMap(wordsOf)
  return fitted([method.toLowerCase(), ...(words.length === 0 ? ['root'] : words), ...asked].join('_'))
}

function wordsOf(segment: Segment): string[] {
  return segment.flatMap((part) => {
    const word = wordOf(part.kind === 'literal' ? part.text : part.name)
    if (word === '') return []
    return part.kind === 'literal' ? [word] : [`by_${word}`]
  })
}

function wordOf(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '')
}

/** Of what is too long the last words stay, which say most; a hash of the whole stands for the rest. */
function fitted(name: string): string {
  if (name.length <= longestName) return name
  const [verb = '', ...words] = name.split('_')
  const room = longestName - verb.length - hashLength - 2
  let tail = ''
  for (const word of words.toReversed()) {
    const longer = tail === '' ? word : `${word}_${tail}`
    if (longer.length > room) break
    tail = longer
  }
  const kept = tail === '' ? name.slice(verb.length + 1).slice(-room) : tail
  return `${verb.slice(0, 20)}_${kept}_${hash(name)}`.slice(-longestName)
}

/** FNV-1a, 32 bits, as 8 hexadecimal digits: stable between runs, machines and runtimes. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193)
  return (value >>> 0).toString(16).padStart(hashLength, '0')
}
