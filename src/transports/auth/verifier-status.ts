/** Which status a verifier meant by what it threw. */

import { exposedStatus } from '../../errors/classify-error.js'
import { brandOf, ErrorCode, type McpError } from '../../errors/errors.js'

const statusOfCode: Readonly<Record<number, number>> = {
  [ErrorCode.Unauthorized]: 401,
  [ErrorCode.Forbidden]: 403,
}

/** 401, 403 or 503; `undefined` for faults, and for what cannot be read. Never throws. */
export function statusOf(error: unknown): number | undefined {
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
  const told = http?.status ?? statusOfCode[code ?? 0] ?? exposedStatus(error) ?? thrownStatus(error)
  if (told !== undefined && told >= 500) return 503
  return told === 401 || told === 403 ? told : undefined
}

function thrownStatus(error: unknown): number | undefined {
  const { status } = Object(error) as { status?: unknown }
  return status === 503 ? status : undefined
}
