/** The HTTP status of a verifier's error. */

import { exposedStatus } from '../../errors/classify-error.js'
import { brandOf, ErrorCode, type McpError } from '../../errors/errors.js'

const statusByCode: Readonly<Record<number, number>> = {
  [ErrorCode.Unauthorized]: 401,
  [ErrorCode.Forbidden]: 403,
}

/** Returns 401, 403 or 503, or `undefined` for faults and unreadable errors. Never throws. */
export function verifierStatus(error: unknown): number | undefined {
  try {
    return readStatus(error)
  } catch {
    return undefined
  }
}

function readStatus(error: unknown): number | undefined {
  const brand = brandOf(error)
  if (brand === 'interrupted') return 503
  const { http, code } = brand === 'mcp' ? (error as McpError) : {}
  const status = http?.status ?? statusByCode[code ?? 0] ?? exposedStatus(error) ?? thrownStatus(error)
  if (status !== undefined && status >= 500) return 503
  return status === 401 || status === 403 ? status : undefined
}

function thrownStatus(error: unknown): number | undefined {
  const { status } = Object(error) as { status?: unknown }
  return status === 503 ? status : undefined
}
