/** The options of `testClient()`: who calls, in which revision, and what they answer. */

import {
  type AskedOfCaller,
  type Auth,
  aFunction,
  anObject,
  arrayOf,
  type Context,
  type CreateMessageParams,
  type CreateMessageResult,
  checkOptions,
  coreOf,
  describe,
  type Implementation,
  type LoggingLevel,
  loggingLevels,
  type McpRouter,
  oneOf,
  type Register,
  type RequestInfo,
  type Root,
  scopeNames,
} from '../../src/internal.js'

/** A form or a page that the router asks the user for (specification, Elicitation). */
export interface ElicitRequest {
  readonly message: string
  /** Forms: a flat JSON Schema. */
  readonly requestedSchema?: Readonly<Record<string, unknown>> | undefined
  /** Pages. */
  readonly url?: string | undefined
  readonly mode?: 'form' | 'url' | undefined
}

/** What the user of a test did. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  /** What was filled in, with `accept` of a form. */
  readonly content?: Readonly<Record<string, unknown>> | undefined
}

type Awaitable<T> = T | Promise<T>

interface SharedOptions<E extends object> {
  /** Who calls: becomes `ctx.user`. Default: nobody. */
  readonly user?: Context<E>['user'] | undefined
  /** The principal of a checked token: becomes `ctx.auth`. */
  readonly auth?: Auth | undefined
  /** Enforces `scopes` of definitions. Default: those of `auth`; without either they are not enforced. */
  readonly scopes?: readonly string[] | undefined
  /** Becomes `ctx.request`; what is left out is that of a plain POST to `/mcp`. Default: there is none. */
  readonly request?: Partial<RequestInfo> | undefined
  /** Which revision the client speaks. Default: the newest that the router speaks. */
  readonly protocolVersion?: string | undefined
  /** Default `test-client`, `0.0.0`. */
  readonly clientInfo?: Implementation | undefined
  /** What it declares beyond what it answers: merged over that. */
  readonly capabilities?: Readonly<Record<string, object>> | undefined
  /** The least severe log notice to collect. Default `debug`. */
  readonly logLevel?: LoggingLevel | undefined
  /** Answers `ctx.elicit()` and `confirm`. Without it the client cannot be asked. */
  readonly elicit?: ((request: ElicitRequest) => Awaitable<ElicitAnswer>) | undefined
  /** Answers `ctx.sample()`; a text is a whole answer of the model. */
  readonly sample?: ((request: CreateMessageParams) => Awaitable<CreateMessageResult | string>) | undefined
  /** Answers `ctx.roots()`. */
  readonly roots?: readonly Root[] | (() => Awaitable<readonly Root[]>) | undefined
}

/** Required as soon as `Register` promises more than `user`, as at a mount. */
type ContextOption<Extra> =
  Record<never, never> extends Extra
    ? { readonly context?: Extra | undefined }
    : {
        /** What the mount's `context(req)` would return: merged into `ctx`. */
        readonly context: Extra
      }

/** Who calls, in which revision, and what the client can answer. */
export type TestClientOptions<E extends object = Register> = SharedOptions<E> & ContextOption<Omit<E, 'user'>>

/** The options once their types have done their work. */
export type AnyTestClientOptions = SharedOptions<object> & { readonly context?: object | undefined }

const known = {
  user: () => {},
  context: anObject,
  auth: anObject,
  scopes: scopeNames,
  request: anObject,
  clientInfo: anObject,
  capabilities: anObject,
  logLevel: oneOf(loggingLevels),
  elicit: aFunction,
  sample: aFunction,
  roots: (value: unknown, what: string) =>
    typeof value === 'function' ? undefined : arrayOf(anObject)(value, what),
}

/** Checks the options. Returns the revision that the client speaks. @throws TypeError */
export function readOptions(router: McpRouter<object>, options: AnyTestClientOptions): string {
  const spoken = coreOf(router).supportedRevisions.map(({ version }) => version)
  checkOptions('testClient()', options, { known: { ...known, protocolVersion: oneOf(spoken) } })
  // A router speaks one revision at least.
  return options.protocolVersion ?? (spoken.at(-1) as string)
}

/** The capabilities of a client that answers what it has functions for. */
export function capabilitiesOf(options: AnyTestClientOptions): Record<string, object> {
  const { elicit, sample, roots, capabilities } = options
  return {
    ...(elicit !== undefined && { elicitation: { form: {}, url: {} } }),
    ...(sample !== undefined && { sampling: { tools: {} } }),
    ...(roots !== undefined && { roots: {} }),
    ...capabilities,
  }
}

/** The result that the client sends for what it was asked. */
export async function answerTo(options: AnyTestClientOptions, asked: AskedOfCaller): Promise<object> {
  const answer = await answers[asked.method]?.(options, asked.params ?? {})
  if (answer !== undefined) return answer
  throw new Error(
    `the router asks ${asked.method}: give testClient() ${optionFor[asked.method]} to answer it`,
  )
}

type Method = AskedOfCaller['method']
type Answer = (options: AnyTestClientOptions, params: object) => Promise<object | undefined>

const answers: Readonly<Record<Method, Answer>> = {
  async 'elicitation/create'({ elicit }, params) {
    const answer = await elicit?.(params as ElicitRequest)
    if (elicit !== undefined && typeof answer !== 'object')
      throw new TypeError(`elicit(): expected { action, content } to be returned, got ${describe(answer)}`)
    return answer
  },
  async 'sampling/createMessage'({ sample }, params) {
    const answer = await sample?.(params as CreateMessageParams)
    if (typeof answer !== 'string') return answer
    const content = { type: 'text', text: answer }
    return { role: 'assistant', content, model: 'test-model', stopReason: 'endTurn' }
  },
  async 'roots/list'({ roots }) {
    const found = typeof roots === 'function' ? await roots() : roots
    return found && { roots: found }
  },
}

const optionFor: Readonly<Record<Method, string>> = {
  'elicitation/create': '`elicit`',
  'sampling/createMessage': '`sample`',
  'roots/list': '`roots`',
}
