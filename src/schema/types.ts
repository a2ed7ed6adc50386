/** The schemas people may pass, and what TypeScript reads from them. Types only: no schema library is a dependency. */

/**
 * What Zod (3.24 or later, 4), Valibot, ArkType, Effect and others implement.
 * A copy of the interface at https://standardschema.dev, which invites copying.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What a Standard Schema's `validate` answers. `issues` is there when, and only when, the value was refused. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * A hand-written JSON Schema object. Any keyword may be used; these are the ones that types are read from.
 * Without an index signature interfaces fit too, and without `description` an old Zod does not pass as one.
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

/** Everything `input` and `output` take. */
export type Schema = StandardSchemaV1 | JsonSchema

/** The type after parsing: defaults applied, transforms run. */
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
 * The type a JSON Schema literal describes. Read are object, array, scalars, `enum`, `const`, `anyOf` and `required`;
 * anything else is `unknown`.
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
  ? { [K in keyof T]: T[K] } // makes hovers show one plain object
  : never
