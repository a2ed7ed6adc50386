/** Says in words what is wrong with a value: for the model that sent it, and for logs. */

import type { Issue } from './compiled.js'

/** A thousand wrong items are one mistake: more than this many are only counted. */
export const mostDescribed = 20

/** A key that a client sent may be megabytes long. */
const longestKey = 80

/** Names each field and what it wanted: `limit: Too big: expected number to be <=100; tags[0]: …`. */
export function describeIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, mostDescribed).map(describeIssue)
  if (issues.length > mostDescribed) lines.push(`and ${issues.length - mostDescribed} more`)
  return lines.join('; ')
}

function describeIssue({ path, message }: Issue): string {
  const field = path.map(step).join('').replace(/^\./, '')
  // ArkType begins its messages with the field itself.
  return field === '' || message.startsWith(`${field} `) ? message : `${field}: ${message}`
}

function step(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${clip(String(key))}`
}

/** A text from outside, short enough to be repeated in a message. */
function clip(text: string): string {
  return text.length > longestKey ? `${text.slice(0, longestKey)}…` : text
}
