/** Random schemas, and values that nearly match them. */
import fc from 'fast-check'
import type { ObjectShape, Shape } from './shapes.js'

const range = (most: number): fc.Arbitrary<{ min: number; max: number }> =>
  fc
    .tuple(fc.nat({ max: most }), fc.nat({ max: most }))
    .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }))
// No name that every object inherits: libraries, and Ajv by default, take `toString` of `{}` for a field (an exception of all).
const names = ['a', 'b', 'type', 'properties', 'äö', '$ref', 'x-y']

export const { object } = fc.letrec<{ shape: Shape; flat: Shape; object: ObjectShape }>((tie) => ({
  flat: fc.oneof<fc.Arbitrary<Shape>[]>(
    range(4).map((limits) => ({ kind: 'text', ...limits })),
    range(9).map((limits) => ({ kind: 'integer', ...limits })),
    fc.constantFrom({ kind: 'number' }, { kind: 'boolean' }),
    fc
      .uniqueArray(fc.constantFrom('x', 'y', '', '1', 'null'), { minLength: 1 })
      .map((of) => ({ kind: 'choice', of })),
  ),
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('flat'),
    fc.record({ kind: fc.constant('nullable' as const), of: tie('flat') }),
    fc.tuple(tie('shape'), range(3)).map(([of, limits]): Shape => ({ kind: 'list', of, ...limits })),
    fc.record({ kind: fc.constant('either' as const), of: fc.tuple(tie('flat'), tie('flat')) }),
    tie('object'),
  ),
  object: fc.record({
    kind: fc.constant('object' as const),
    fields: fc.dictionary(
      fc.constantFrom(...names),
      fc.record({ shape: tie('shape'), optional: fc.boolean() }),
      { maxKeys: 4 },
    ),
  }),
}))

// No character beyond the basic plane: libraries count its halves, JSON Schema counts characters (an exception of all).
const anything = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    false,
    '',
    'x',
    '1',
    'null',
    'abcde',
    '😀',
    0,
    -1,
    1.5,
    2,
    10,
    1e21,
    [],
    {},
  ),
  fc.array(fc.constantFrom<unknown[]>('x', 1, null), { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Values for a shape. Most match; some have one part that doesn't. */
function valueFor(of: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: fitting(of) }, { weight: 1, arbitrary: anything })
}

function fitting(of: Shape): fc.Arbitrary<unknown> {
  switch (of.kind) {
    case 'text':
      return fc.string({ unit: fc.constantFrom('a', ' ', '0'), minLength: of.min, maxLength: of.max + 1 })
    case 'integer':
      return fc.integer({ min: of.min - 1, max: of.max + 1 })
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    case 'boolean':
      return fc.boolean()
    case 'choice':
      return fc.constantFrom(...of.of)
    case 'nullable':
      return fc.oneof(fc.constant(null), valueFor(of.of))
    case 'list':
      return fc.array(valueFor(of.of), { minLength: of.min, maxLength: of.max })
    case 'either':
      return fc.oneof(valueFor(of.of[0]), valueFor(of.of[1]))
    case 'object':
      return objectFor(of)
  }
}

export function objectFor({ fields }: ObjectShape): fc.Arbitrary<unknown> {
  const own = Object.entries(fields)
  const required = own.filter(([, { optional }]) => !optional).map(([name]) => name)
  const fit = fc.record(Object.fromEntries(own.map(([name, of]) => [name, valueFor(of.shape)])), {
    requiredKeys: required as never[],
  })
  const more = fc.dictionary(fc.constantFrom(...names, 'other'), anything, { maxKeys: 1 })
  return fc.oneof(
    { weight: 6, arbitrary: fit },
    { weight: 1, arbitrary: fc.tuple(fit, more).map(([a, b]) => ({ ...a, ...b })) },
  )
}
