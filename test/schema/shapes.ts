/** The same schema in each library. */
import { type Type, type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { z as z3 } from 'zod3'

export type Shape =
  | { readonly kind: 'text'; readonly min: number; readonly max: number }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'number' | 'boolean' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'nullable'; readonly of: Shape }
  | { readonly kind: 'list'; readonly of: Shape; readonly min: number; readonly max: number }
  | { readonly kind: 'either'; readonly of: readonly [Shape, Shape] }
  | ObjectShape
export interface ObjectShape {
  readonly kind: 'object'
  readonly fields: Readonly<Record<string, { readonly shape: Shape; readonly optional: boolean }>>
}

/** Builds each shape in one library. */
interface Library<T> {
  readonly text: (min: number, max: number) => T
  readonly integer: (min: number, max: number) => T
  readonly number: () => T
  readonly boolean: () => T
  readonly choice: (values: readonly string[]) => T
  readonly nullable: (of: T) => T
  readonly list: (of: T, min: number, max: number) => T
  readonly either: (a: T, b: T) => T
  readonly object: (fields: readonly (readonly [name: string, of: T, optional: boolean])[]) => T
}

export function build<T>(library: Library<T>, shape: Shape): T {
  const inner = (of: Shape): T => build(library, of)
  switch (shape.kind) {
    case 'text':
    case 'integer':
      return library[shape.kind](shape.min, shape.max)
    case 'number':
    case 'boolean':
      return library[shape.kind]()
    case 'choice':
      return library.choice(shape.of)
    case 'nullable':
      return library.nullable(inner(shape.of))
    case 'list':
      return library.list(inner(shape.of), shape.min, shape.max)
    case 'either':
      return library.either(inner(shape.of[0]), inner(shape.of[1]))
    case 'object':
      return library.object(
        Object.entries(shape.fields).map(([name, { shape: of, optional }]) => [name, inner(of), optional]),
      )
  }
}

type Fields<T> = readonly (readonly [name: string, of: T, optional: boolean])[]
const record = <T>(fields: Fields<T>, toOptional: (of: T) => T): Record<string, T> =>
  Object.fromEntries(fields.map(([name, of, optional]) => [name, optional ? toOptional(of) : of]))

export const zod4: Library<z.ZodType> = {
  text: (min, max) => z.string().min(min).max(max),
  integer: (min, max) => z.number().int().min(min).max(max),
  number: () => z.number(),
  boolean: () => z.boolean(),
  choice: (values) => z.enum(values),
  nullable: (of) => of.nullable(),
  list: (of, min, max) => z.array(of).min(min).max(max),
  either: (a, b) => z.union([a, b]),
  object: (fields) => z.object(record(fields, (of) => of.optional())),
}
export const zod3: Library<z3.ZodTypeAny> = {
  text: (min, max) => z3.string().min(min).max(max),
  integer: (min, max) => z3.number().int().min(min).max(max),
  number: () => z3.number(),
  boolean: () => z3.boolean(),
  choice: (values) => z3.enum(values as [string]),
  nullable: (of) => of.nullable(),
  list: (of, min, max) => z3.array(of).min(min).max(max),
  either: (a, b) => z3.union([a, b]),
  object: (fields) => z3.object(record(fields, (of) => of.optional())),
}
export const valibot: Library<v.GenericSchema> = {
  text: (min, max) => v.pipe(v.string(), v.minLength(min), v.maxLength(max)),
  integer: (min, max) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
  number: () => v.number(),
  boolean: () => v.boolean(),
  choice: (values) => v.picklist(values),
  nullable: (of) => v.nullable(of),
  list: (of, min, max) => v.pipe(v.array(of), v.minLength(min), v.maxLength(max)),
  either: (a, b) => v.union([a, b]),
  object: (fields) => v.object(record(fields, (of) => v.optional(of) as v.GenericSchema)),
}
export const arktype: Library<Type> = {
  text: (min, max) => type(`${min} <= string <= ${max}` as 'string') as Type,
  integer: (min, max) => type(`${min} <= number.integer <= ${max}` as 'number') as Type,
  number: () => type('number') as Type,
  boolean: () => type('boolean') as Type,
  choice: (values) => type.enumerated(...values) as Type,
  nullable: (of) => of.or('null') as Type,
  list: (of, min, max) => of.array().atLeastLength(min).atMostLength(max) as Type,
  either: (a, b) => a.or(b) as Type,
  object: (fields) =>
    type(
      Object.fromEntries(fields.map(([name, of, optional]) => [optional ? `${name}?` : name, of])),
    ) as Type,
}
