import createError from 'http-errors'
import type { z } from 'zod'

/** Returns the parsed value. @throws a 400 that lists the errors of each field */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  throw createError(400, 'Validation failed', { issues })
}
