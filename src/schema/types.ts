/**
 * The schemas that users may pass, and the types that TypeScript infers from them. Types only, so that no schema
 * library is a dependency.
 */

/**
 * A schema of Zod (3.24 or later, 4), Valibot, ArkType, Effect and others. A copy of the interface at
 * https://standardschema.dev, which recommends copying.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The result of a Standard Schema's `validate`. `issues` is set only if the value is invalid. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * A hand-written JSON Schema object. Any keyword is allowed; the declared ones are used for type inference. There is no
 * index signature, so that interfaces match. There is no `description`, so that schemas of old Zod versions don't
 * match.
 */
export interface JsonSchema {
  readonly $ref?: string | undefined
  readonly type?: string | readonly string[] | undefined
  readonly properties?: object | undefined
  readonly items?: unknown
  readonly enum?: readonly unknown[] | undefined
  readonly const?: unknown
  readonly anyOf?: readonly unknown[] | undefined
  readonly oneOf?: readonly unknown[] | undefined
  readonly allOf?: readonly unknown[] | undefined
}

/** The schemas that `input` and `output` accept. */
export type Schema = StandardSchemaV1 | JsonSchema

/** The type after parsing: with defaults applied and transforms run. */
export type Parsed<S> = S extends StandardSchemaV1
  ? NonNullable<S['~standard']['types']>['output']
  : FromJsonSchema<S>

/** The type before parsing. */
export type Accepted<S> = S extends StandardSchemaV1
  ? NonNullable<S['~standard']['types']>['input']
  : FromJsonSchema<S>

interface Scalars {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

/**
 * The type that a JSON Schema literal describes. Supports object, array, scalars, `enum`, `const`, `anyOf` and
 * `required`; anything else is `unknown`.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer T }
  ? T
  : S extends { readonly enum: readonly (infer T)[] }
    ? T
    : S extends { readonly type: infer T }
      ? T extends keyof Scalars
        ? Scalars[T]
        : S extends { readonly properties: infer P }
          ? FromProperties<P, RequiredKeys<S> & keyof P>
          : S extends { readonly items: infer I }
            ? FromJsonSchema<I>[]
            : unknown
      : S extends { readonly anyOf: readonly (infer T)[] }
        ? FromJsonSchema<T>
        : unknown

type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] }
  ? string extends K
    ? never
    : K
  : never

type FromProperties<P, R extends keyof P> = { -readonly [K in R]: FromJsonSchema<P[K]> } & {
  -readonly [K in Exclude<keyof P, R>]?: FromJsonSchema<P[K]>
} extends infer T
  ? { [K in keyof T]: T[K] } // makes editors show one plain object
  : never
