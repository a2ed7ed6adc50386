/** Converts the validation chains of express-validator 7 in front of a route to JSON Schema. */

import { type ChainItem, needsValue, type Rules, rulesOfChain } from './express-validator-rules.js'

/** The result of `chain.builder.build()`. */
interface BuiltChain {
  readonly fields: readonly string[]
  readonly locations: readonly string[]
  readonly optional: unknown
  readonly stack: readonly ChainItem[]
}

/** Builds a chain, which is itself a middleware. `undefined`: the handler is not a chain. */
export function builtChain(handler: unknown): BuiltChain | undefined {
  if (typeof handler !== 'function') return undefined
  const { builder } = handler as { builder?: { build?: unknown } }
  if (typeof builder !== 'object' || typeof builder?.build !== 'function') return undefined
  const built = builder.build() as Partial<BuiltChain> | undefined
  const isOne = [built?.fields, built?.locations, built?.stack].every(Array.isArray)
  return isOne ? (built as BuiltChain) : undefined
}

/** Whether the handler is `oneOf()` or `checkExact()`: closures whose chains can't be read. */
export function isOpaqueValidator(handler: unknown): boolean {
  if (typeof handler !== 'function' || 'builder' in handler) return false
  return handler.name === 'middleware' && typeof (handler as { run?: unknown }).run === 'function'
}

export type Location = 'params' | 'query' | 'body' | 'headers'

/** The rules of the chains for one field of a request part, and for the fields inside it. */
export class FieldTree {
  readonly #fields = new Map<string, FieldTree>()
  #items: FieldTree | undefined
  #rules: Rules = {}
  #required = false
  #optional = false
  #nullable = false

  /** Adds the rules of a chain for one of its fields. Throws if no schema can express the field's path. */
  add(field: string, { stack, optional, locations }: BuiltChain): void {
    const target = this.#at(pathSegments(field))
    const { rules, needed } = rulesOfChain(stack)
    for (const one of rules) target.#rules = mergeRules(target.#rules, one)
    const conditional = stack.some(({ chain, condition }) => chain !== undefined || condition !== undefined)
    if (optional !== false || conditional) target.#optional = true
    else if (needed.some(needsValue)) target.#required = true
    if ((optional === 'null' || optional === 'falsy') && locations.includes('body')) target.#nullable = true
  }

  #at([step, ...rest]: readonly string[]): FieldTree {
    if (step === undefined) return this
    if (step === '*') {
      this.#items ??= new FieldTree()
      return this.#items.#at(rest)
    }
    const known = this.#fields.get(step) ?? new FieldTree()
    this.#fields.set(step, known)
    return known.#at(rest)
  }

  /** Whether this field must be present. A required field inside requires it; rules for list items don't. */
  get #isRequired(): boolean {
    if (this.#optional) return false
    return this.#required || [...this.#fields.values()].some((field) => field.#isRequired)
  }

  toSchema(): Rules {
    return this.#nullable ? withNull(this.#schemaWithoutNull()) : this.#schemaWithoutNull()
  }

  #schemaWithoutNull(): Rules {
    if (this.#items !== undefined) return { ...this.#rules, type: 'array', items: this.#items.toSchema() }
    if (this.#fields.size === 0) return withTypedEnum(this.#rules)
    const entries = [...this.#fields]
    const required = entries.filter(([, field]) => field.#isRequired).map(([name]) => name)
    return {
      ...this.#rules,
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, field]) => [name, field.toSchema()])),
      ...(required.length > 0 && { required }),
    }
  }
}

/** Splits a field's path: `user.name`, `tags.*`, `tags[0].id`, `["a.b"]`. The empty path is the whole request part. */
function pathSegments(field: string): string[] {
  if (field.includes('**')) throw new Error(`the field "${field}" has a globstar, which no schema can say`)
  const steps = [...field.matchAll(/\[(?:"([^"]*)"|'([^']*)'|(\d+|\*))\]|([^.[\]]+)/g)]
  return steps.map(([, double, single, index, plain]) => {
    if (index !== undefined || /^\d+$/.test(plain ?? '')) return '*'
    return double ?? single ?? plain ?? ''
  })
}

/** Merges the rules of two validators. The first type wins: `isInt().toInt()`, `isLength()` of a number. */
function mergeRules(rules: Rules, more: Rules): Rules {
  const { type, format, ...rest } = more
  const known = rules.type
  if (type === undefined) return { ...rules, ...rest }
  const wider = type === 'integer' ? [type, 'number'] : [type]
  const isNarrower = known === undefined || (Array.isArray(known) && wider.some((one) => known.includes(one)))
  if (isNarrower) return { ...rules, ...more }
  if (known !== type) return rules
  return { ...rules, ...rest, ...(format !== undefined && rules.format === undefined && { format }) }
}

function withNull({ type, enum: allowed, ...rest }: Rules): Rules {
  return {
    ...(type !== undefined && { type: [type, 'null'].flat() }),
    ...rest,
    ...(Array.isArray(allowed) && { enum: [...allowed, null] }),
  }
}

/** Makes enum values match a numeric type: express-validator compares strings, which would never fit. */
function withTypedEnum(rules: Rules): Rules {
  const { enum: allowed, type } = rules
  if (!Array.isArray(allowed)) return rules
  const read = type === 'integer' || type === 'number' ? Number : undefined
  const values = read === undefined ? allowed : allowed.map(read).filter((value) => !Number.isNaN(value))
  return { ...rules, enum: [...new Set(values)] }
}
