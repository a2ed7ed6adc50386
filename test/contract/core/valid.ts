/** Everything that goes over the wire in the contract is judged by the official schema of its revision. */

import { validatorFor } from '../../wire/validator.js'
import type { Json } from '../client.js'

const firstWithOptionalErrorIds = '2025-11-25'

/** Throws for a message that its revision does not allow. */
export function assertValid(version: string, method: string, message: Json): void {
  const judge = validatorFor(version)
  const { id, method: notice, error } = message ?? {}
  // Before 2025-11-25 an error whose id could not be read has no valid form at all.
  if (error !== undefined && id === undefined && version < firstWithOptionalErrorIds) return
  const isRequest = notice !== undefined && id !== undefined
  const problems = isRequest
    ? judge.request(message)
    : notice === undefined
      ? judge.response(method, message)
      : judge.notification(message)
  if (problems.length === 0) return
  throw new Error(`${version} ${method}: ${JSON.stringify(message)}\n${problems.join('\n')}`)
}
