import createError from 'http-errors'
import type { z } from 'zod'

/** What the schema makes of `value`, or a 400 that lists what is wrong with which field. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  throw createError(400, 'Validation failed', { issues })
}
