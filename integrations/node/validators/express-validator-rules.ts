/** Maps validators and sanitizers of express-validator to JSON Schema. Skips those that JSON Schema can't express. */

/** A JSON Schema under construction. */
export type Rules = { [keyword: string]: unknown }

/** One step of a chain, in the form that `chain.builder.build()` returns. */
export interface ChainItem {
  readonly validator?: unknown
  readonly sanitizer?: unknown
  readonly negated?: boolean
  /** Whether a sanitizer is a function of the app: `customSanitizer()`, and helpers built on it. */
  readonly custom?: boolean
  readonly options?: readonly unknown[]
  /** Set for a condition: `.if(chain)`, `.if(function)`. */
  readonly chain?: unknown
  readonly condition?: unknown
}

/**
 * Returns the rules that a chain has for the values clients send. Stops at a condition and at a sanitizer of the app's
 * own, which may turn values into anything. `needed`: the steps that a missing value may fail.
 */
export function rulesOfChain(stack: readonly ChainItem[]): {
  rules: readonly Rules[]
  needed: readonly ChainItem[]
} {
  const rules: Rules[] = []
  let needed: ChainItem[] | undefined
  const seen: ChainItem[] = []
  for (const item of stack) {
    if (item.chain !== undefined || item.condition !== undefined) break
    if (isArrayMaker(item)) {
      rules.push({ type: 'array' })
      break
    }
    if (isDefault(item)) needed ??= [...seen]
    else if (item.custom === true && item.sanitizer !== undefined) break
    else rules.push(rulesOfStep(item))
    seen.push(item)
  }
  return { rules, needed: needed ?? seen }
}

/** Recognizes `toArray()` by its source: the library exports no other trace of it. The same goes for `default()`. */
function isArrayMaker({ sanitizer }: ChainItem): boolean {
  return (
    typeof sanitizer === 'function' &&
    /^(\w+)=>\(\1!==undefined&&.*Array\.isArray\(\1\)/.test(plainSource(sanitizer))
  )
}

function isDefault({ sanitizer }: ChainItem): boolean {
  return (
    typeof sanitizer === 'function' &&
    /^(\w+)=>\[undefined, ?null, ?NaN, ?(''|"")\]\.includes\(\1\)/.test(plainSource(sanitizer))
  )
}

/** Returns the rules of one step. Standard validators see strings; the actual values may have any type. */
function rulesOfStep({ validator, sanitizer, negated, options }: ChainItem): Rules {
  if (typeof sanitizer === 'function') return sanitizers[sanitizer.name] ?? {}
  if (typeof validator !== 'function' || negated === true) return {}
  const [first] = options ?? []
  const table = ownValue(validators, validator.name)
  if (options !== undefined)
    return table?.(first, options) ?? (validator.name === '' ? {} : { type: 'string' })
  return customRules(validator)
}

/** Whether a missing value fails this validator. */
export function needsValue({ validator, negated, options }: ChainItem): boolean {
  if (typeof validator !== 'function') return false
  const { name } = validator
  if (options === undefined)
    return negated !== true && Object.keys(customRules(validator)).length + Number(isExists(validator)) > 0
  if (name === 'isEmpty') return negated === true
  if (negated === true) return false
  const [first] = options
  if (name === 'isLength' || name === 'isByteLength') return Number(limits(first).min ?? 0) > 0
  if (name === 'matches') return !matchesEmpty(options)
  return name !== 'contains' && name !== 'isWhitelisted'
}

type Rule = (first: unknown, options: readonly unknown[]) => Rules

const stringRule =
  (more: Rules = {}): (() => Rules) =>
  () => ({ type: 'string', ...more })

const validators: Readonly<Record<string, Rule>> = {
  isInt: (options) => ({ type: 'integer', ...bounds(options) }),
  isFloat: (options) => ({ type: 'number', ...bounds(options) }),
  isDecimal: () => ({ type: ['number', 'string'] }),
  isNumeric: () => ({ type: ['number', 'string'] }),
  isPort: () => ({ type: 'integer', minimum: 0, maximum: 65_535 }),
  isDivisibleBy: (by) => ({ type: 'integer', ...(Number(by) > 0 && { multipleOf: Number(by) }) }),
  isBoolean: () => ({ type: 'boolean' }),
  isLength: (options) => length(options),
  isByteLength: (options) => ({
    type: 'string',
    ...(limits(options).max !== undefined && { maxLength: limits(options).max }),
  }),
  isIn: (values) => ({ enum: Array.isArray(values) ? values : Object.keys(values ?? {}) }),
  equals: (value) => ({ enum: [value] }),
  matches: (source, options) => ({ type: 'string', ...pattern(source, options[1]) }),
  isEmail: stringRule({ format: 'email' }),
  isURL: stringRule({ format: 'uri' }),
  isUUID: stringRule({ format: 'uuid' }),
  isISO8601: stringRule({ format: 'date-time' }),
  isRFC3339: stringRule({ format: 'date-time' }),
  isDate: stringRule({ format: 'date' }),
  isFQDN: stringRule({ format: 'hostname' }),
  isIP: (version) => ({ type: 'string', ...ipFormat(version) }),
  isMongoId: stringRule({ pattern: '^[0-9a-fA-F]{24}$' }),
  isHexadecimal: stringRule({ pattern: '^(0x|0h)?[0-9A-Fa-f]+$' }),
  isMD5: stringRule({ pattern: '^[a-f0-9]{32}$' }),
  isULID: stringRule({ pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' }),
  isAlpha: (locale, options) => ({ type: 'string', ...latin(locale, options[1], 'A-Za-z') }),
  isAlphanumeric: (locale, options) => ({ type: 'string', ...latin(locale, options[1], '0-9A-Za-z') }),
  isJSON: stringRule({ contentMediaType: 'application/json' }),
  isBase64: stringRule({ contentEncoding: 'base64' }),
  isEmpty: () => ({}),
}

const sanitizers: Readonly<Record<string, Rules>> = {
  toInt: { type: 'integer' },
  toFloat: { type: 'number' },
  toBoolean: { type: 'boolean' },
  toDate: { type: 'string', format: 'date-time' },
  trim: { type: 'string' },
  escape: { type: 'string' },
  normalizeEmail: { type: 'string', format: 'email' },
}

/**
 * Returns the rules of `isString()`, `isArray()`, `isObject()` and `isBoolean({ strict: true })`. They are functions
 * without a name, so they are recognized by their source. An app's own function with the same source has the same
 * meaning.
 */
function customRules(validator: object): Rules {
  const source = plainSource(validator)
  return customPatterns.find(([shape]) => shape.test(source))?.[1] ?? {}
}

const customPatterns: readonly (readonly [RegExp, Rules])[] = [
  [/^(\w+)=>typeof \1===["']string["']$/, { type: 'string' }],
  [/^(\w+)=>Array\.isArray\(\1\)(&&|$)/, { type: 'array' }],
  [/^(\w+)=>typeof \1===["']object["']&&/, { type: 'object' }],
  [/^(\w+)=>\{return \1===true\|\|\1===false;?\}$/, { type: 'boolean' }],
]

/** Whether the validator is `exists()`. */
function isExists(validator: object): boolean {
  return /^(\w+)=>(!!\1|\1!=null|\1!==undefined)$/.test(plainSource(validator))
}

function plainSource(validator: object): string {
  const source = Function.prototype.toString.call(validator)
  if (source.length > 400) return ''
  return source
    .replace(/\s+/g, ' ')
    .replace(/ ?(=>|===|!==|!=|&&|\|\||[{};]) ?/g, '$1')
    .replace(/^\((\w+)\)=>/, '$1=>')
}

function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function limits(options: unknown): Readonly<Record<string, unknown>> {
  return typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {}
}

function numbers(pairs: Readonly<Record<string, unknown>>): Rules {
  const known = Object.entries(pairs).filter(
    ([, value]) => typeof value === 'number' && Number.isFinite(value),
  )
  return Object.fromEntries(known)
}

function bounds(options: unknown): Rules {
  const { min, max, gt, lt } = limits(options)
  return numbers({ minimum: min, maximum: max, exclusiveMinimum: gt, exclusiveMaximum: lt })
}

function length(options: unknown): Rules {
  const { min, max } = limits(options)
  return { type: 'string', ...numbers({ minLength: min, maxLength: max }) }
}

/** Only patterns without flags, or with `u` or `g`, have an equivalent in JSON Schema. */
function pattern(source: unknown, flags: unknown): Rules {
  return typeof source === 'string' && /^[ug]*$/.test(String(flags ?? '')) ? { pattern: source } : {}
}

function matchesEmpty([source, flags]: readonly unknown[]): boolean {
  try {
    return new RegExp(String(source), String(flags ?? '').replace(/[gy]/g, '')).test('')
  } catch {
    return true
  }
}

function latin(locale: unknown, options: unknown, letters: string): Rules {
  const { ignore } = limits(options)
  return (locale === undefined || locale === 'en-US') && ignore === undefined
    ? { pattern: `^[${letters}]+$` }
    : {}
}

function ipFormat(version: unknown): Rules {
  const wanted = String(limits(version).version ?? version ?? '')
  return wanted === '4' || wanted === '6' ? { format: `ipv${wanted}` } : {}
}
