/** The options of `testClient()`, and the client's answers to the router's requests. */

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

/** An elicitation request: a form to fill in or a page to open (specification, Elicitation). */
export interface ElicitRequest {
  readonly message: string
  /** The flat JSON Schema of a form. */
  readonly requestedSchema?: Readonly<Record<string, unknown>> | undefined
  /** The URL of a page. */
  readonly url?: string | undefined
  readonly mode?: 'form' | 'url' | undefined
}

/** The user's answer to an elicitation request. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  /** The values of an accepted form. */
  readonly content?: Readonly<Record<string, unknown>> | undefined
}

type Awaitable<T> = T | Promise<T>

interface SharedOptions<E extends object> {
  /** The caller: becomes `ctx.user`. Default: none. */
  readonly user?: Context<E>['user'] | undefined
  /** The principal of a verified token: becomes `ctx.auth`. */
  readonly auth?: Auth | undefined
  /** The caller's scopes. Default: those of `auth`. Without either, `scopes` of definitions aren't enforced. */
  readonly scopes?: readonly string[] | undefined
  /** Becomes `ctx.request`. Missing members are those of a plain POST to `/mcp`. Default: no request. */
  readonly request?: Partial<RequestInfo> | undefined
  /** The revision that the client uses. Default: the newest that the router supports. */
  readonly protocolVersion?: string | undefined
  /** The client's name and version. Default `test-client`, `0.0.0`. */
  readonly clientInfo?: Implementation | undefined
  /** Additional client capabilities, merged over those that follow from `elicit`, `sample` and `roots`. */
  readonly capabilities?: Readonly<Record<string, object>> | undefined
  /** The least severe log message to collect. Default `debug`. */
  readonly logLevel?: LoggingLevel | undefined
  /** Answers `ctx.elicit()` and `confirm`. Without it, the client doesn't support elicitation. */
  readonly elicit?: ((request: ElicitRequest) => Awaitable<ElicitAnswer>) | undefined
  /** Answers `ctx.sample()`. A string is the model's complete text. Without it, the client doesn't support sampling. */
  readonly sample?: ((request: CreateMessageParams) => Awaitable<CreateMessageResult | string>) | undefined
  /** Answers `ctx.roots()`. Without it, the client doesn't support roots. */
  readonly roots?: readonly Root[] | (() => Awaitable<readonly Root[]>) | undefined
}

/** The option `context`, which is required if `Register` declares more than `user`, as at a mount. */
type ContextOption<Extra> =
  Record<never, never> extends Extra
    ? { readonly context?: Extra | undefined }
    : {
        /** The value that the mount's `context(req)` would return. Merged into `ctx`. */
        readonly context: Extra
      }

/** Options of `testClient()`: the caller, the revision, and the client's answers to the router's requests. */
export type TestClientOptions<E extends object = Register> = SharedOptions<E> & ContextOption<Omit<E, 'user'>>

/** The options without the type parameter, for internal use. */
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

/** Checks the options. Returns the revision that the client uses. @throws TypeError */
export function readOptions(router: McpRouter<object>, options: AnyTestClientOptions): string {
  const supported = coreOf(router).supportedRevisions.map(({ version }) => version)
  checkOptions('testClient()', options, { known: { ...known, protocolVersion: oneOf(supported) } })
  // A router supports at least one revision.
  return options.protocolVersion ?? (supported.at(-1) as string)
}

/** Returns the client's capabilities: those that it has answering functions for, and the option `capabilities`. */
export function capabilitiesOf(options: AnyTestClientOptions): Record<string, object> {
  const { elicit, sample, roots, capabilities } = options
  return {
    ...(elicit !== undefined && { elicitation: { form: {}, url: {} } }),
    ...(sample !== undefined && { sampling: { tools: {} } }),
    ...(roots !== undefined && { roots: {} }),
    ...capabilities,
  }
}

/** Returns the client's result for a request of the router. @throws Error if no option answers it */
export async function answerTo(options: AnyTestClientOptions, request: AskedOfCaller): Promise<object> {
  const answer = await answers[request.method]?.(options, request.params ?? {})
  if (answer !== undefined) return answer
  throw new Error(
    `the router sent ${request.method}: pass the option ${optionFor[request.method]} to testClient() to answer it`,
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
    const list = typeof roots === 'function' ? await roots() : roots
    return list && { roots: list }
  },
}

const optionFor: Readonly<Record<Method, string>> = {
  'elicitation/create': '`elicit`',
  'sampling/createMessage': '`sample`',
  'roots/list': '`roots`',
}
