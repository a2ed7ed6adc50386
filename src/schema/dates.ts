/** Arguments that are dates: published as text (`date-time`), which is what JSON has, while some schemas take a `Date` alone. */

import { isThenable } from '../support/maybe-promise.js'
import { isObject } from '../support/values.js'
import type { CompileOptions, JsonObject } from './compiled.js'
import type { StandardSchemaV1 } from './types.js'

/** One moment in the forms that schemas ask for. */
const texts = ['2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00Z', '2020-01-01T00:00:00', '2020-01-01T00:00Z']

/** Says so where every call would be refused for it. Only the arguments at the top are looked at. */
export function warnOfDates(
  schema: StandardSchemaV1,
  json: JsonObject,
  { owner, warn }: CompileOptions,
): void {
  const properties = Object.entries(isObject(json.properties) ? json.properties : {})
  for (const [name, property] of properties) {
    if (!isObject(property) || property.format !== 'date-time') continue
    if (texts.some((text) => !refuses(schema, name, text))) continue
    warn(
      `${owner}: "${name}" takes a Date, which no client can send: use what reads one from text, as z.coerce.date() does`,
    )
  }
}

function refuses(schema: StandardSchemaV1, name: string, value: string): boolean {
  try {
    const outcome = schema['~standard'].validate({ [name]: value })
    if (isThenable(outcome)) {
      outcome.then(undefined, () => {})
      return false
    }
    return outcome.issues?.some(({ path }) => path?.length === 1 && keyOf(path[0]) === name) === true
  } catch {
    return false // the schema's own code does not expect our values
  }
}

function keyOf(step: unknown): unknown {
  return isObject(step) ? step.key : step
}
