/** What the validators and sanitizers of express-validator mean in JSON Schema. Those it cannot say add nothing. */

/** JSON Schema in the making. */
export type Rules = { [keyword: string]: unknown }

/** One step of a chain, as `chain.builder.build()` has it. */
export interface ChainItem {
  readonly validator?: unknown
  readonly sanitizer?: unknown
  readonly negated?: boolean
  /** Of a sanitizer: `customSanitizer()`, and what is made of it. */
  readonly custom?: boolean
  readonly options?: readonly unknown[]
  /** A condition: `.if(chain)`, `.if(function)`. */
  readonly chain?: unknown
  readonly condition?: unknown
}

/**
 * What a chain says of the values that are sent: nothing that stands behind a condition, or behind a sanitizer of the
 * app's own, which may make anything of them. `needed`: those among the steps that a missing value may fail.
 */
export function saidOf(stack: readonly ChainItem[]): {
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
    else rules.push(rulesOf(item))
    seen.push(item)
  }
  return { rules, needed: needed ?? seen }
}

/** `toArray()` and `default()` are functions of a library that says nothing else of them. */
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

/** Standard validators see text; the values behind it may be of any type that reads as one. */
function rulesOf({ validator, sanitizer, negated, options }: ChainItem): Rules {
  if (typeof sanitizer === 'function') return sanitizers[sanitizer.name] ?? {}
  if (typeof validator !== 'function' || negated === true) return {}
  const [first] = options ?? []
  const table = own(validators, validator.name)
  if (options !== undefined)
    return table?.(first, options) ?? (validator.name === '' ? {} : { type: 'string' })
  return customRules(validator)
}

/** Whether a value that is missing fails this validator. */
export function needsValue({ validator, negated, options }: ChainItem): boolean {
  if (typeof validator !== 'function') return false
  const { name } = validator
  if (options === undefined)
    return negated !== true && Object.keys(customRules(validator)).length + Number(isExists(validator)) > 0
  if (name === 'isEmpty') return negated === true
  if (negated === true) return false
  const [first] = options
  if (name === 'isLength' || name === 'isByteLength') return Number(limits(first).min ?? 0) > 0
  if (name === 'matches') return !readsEmpty(options)
  return name !== 'contains' && name !== 'isWhitelisted'
}

type Rule = (first: unknown, options: readonly unknown[]) => Rules

const text =
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
  isEmail: text({ format: 'email' }),
  isURL: text({ format: 'uri' }),
  isUUID: text({ format: 'uuid' }),
  isISO8601: text({ format: 'date-time' }),
  isRFC3339: text({ format: 'date-time' }),
  isDate: text({ format: 'date' }),
  isFQDN: text({ format: 'hostname' }),
  isIP: (version) => ({ type: 'string', ...ipFormat(version) }),
  isMongoId: text({ pattern: '^[0-9a-fA-F]{24}$' }),
  isHexadecimal: text({ pattern: '^(0x|0h)?[0-9A-Fa-f]+$' }),
  isMD5: text({ pattern: '^[a-f0-9]{32}$' }),
  isULID: text({ pattern: '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' }),
  isAlpha: (locale, options) => ({ type: 'string', ...latin(locale, options[1], 'A-Za-z') }),
  isAlphanumeric: (locale, options) => ({ type: 'string', ...latin(locale, options[1], '0-9A-Za-z') }),
  isJSON: text({ contentMediaType: 'application/json' }),
  isBase64: text({ contentEncoding: 'base64' }),
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
 * `isString()`, `isArray()`, `isObject()` and `isBoolean({ strict: true })` are functions without a name there, so they
 * are known by their source. An app's own function of the same source means the same.
 */
function customRules(validator: object): Rules {
  const source = plainSource(validator)
  return customs.find(([shape]) => shape.test(source))?.[1] ?? {}
}

const customs: readonly (readonly [RegExp, Rules])[] = [
  [/^(\w+)=>typeof \1===["']string["']$/, { type: 'string' }],
  [/^(\w+)=>Array\.isArray\(\1\)(&&|$)/, { type: 'array' }],
  [/^(\w+)=>typeof \1===["']object["']&&/, { type: 'object' }],
  [/^(\w+)=>\{return \1===true\|\|\1===false;?\}$/, { type: 'boolean' }],
]

/** `exists()`. */
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

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
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

/** Flags but `u` and `g` cannot be said. */
function pattern(source: unknown, flags: unknown): Rules {
  return typeof source === 'string' && /^[ug]*$/.test(String(flags ?? '')) ? { pattern: source } : {}
}

function readsEmpty([source, flags]: readonly unknown[]): boolean {
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
