/** Streamable HTTP, both eras at one endpoint: `HttpRequest` in, `HttpResponse` out. */

import type { McpError } from '../../errors/errors.js'
import type { Core } from '../../server/core.js'
import { coreOf, type McpRouter } from '../../server/router.js'
import { attempt, type Steps, whenReady } from '../../support/maybe-promise.js'
import { RecentCalls } from '../../tracing/recent-calls.js'
import { Authenticator } from '../auth/authenticator.js'
import { type DescribedMount, metadataOf, metadataResponse } from '../auth/metadata.js'
import { ProtectedResource } from '../auth/protected-resource.js'
import { noteLogin } from '../auth/resolve-caller.js'
import { Explorer } from '../explorer/explorer.js'
import { LegacySse } from '../legacy-sse/legacy-sse.js'
import { AuxiliaryEndpoints } from './auxiliary-endpoints.js'
import { bodyLimits } from './body.js'
import { legacySsePaths, otherPaths, routeOf } from './endpoints.js'
import { Get, type GetOptions } from './get.js'
import { HttpSessions } from './http-sessions.js'
import { LongStreams } from './long-streams.js'
import { type AnyMountOptions, checkMountOptions, pathsOf } from './mount-options.js'
import { type CorsOption, corsHeaders, corsOrigins, OriginGuard, preflight } from './origins.js'
import { type Route, toPaths } from './paths.js'
import { Post } from './post.js'
import { notAllowed, refusalResponse, toRefusal } from './refusals.js'
import type { HttpRequest, HttpResponse } from './shapes.js'
import { KeepAlive, keepAliveMs } from './sse.js'

const mostStreams = 20_000
const mostStreamsPerCaller = 100

interface IncomingRequest {
  readonly handler: HttpHandler
  readonly request: HttpRequest
}

/** What becomes of a request that is let in, or is not. */
type Admission = Steps<void, HttpResponse, IncomingRequest>

/** One mounted endpoint. Made once, by a mount; serves any number of requests. */
export class HttpHandler {
  /** Which endpoint a path asks for; `undefined`: not ours, pass it on. */
  readonly route: Route
  /** Every path below a mount point that `route` may find something at. */
  readonly paths: readonly string[]
  readonly #core: Core
  readonly #cors: CorsOption | undefined
  readonly #origins: OriginGuard
  readonly #auth: Authenticator | undefined
  readonly #described: DescribedMount | undefined
  readonly #sessions: HttpSessions
  readonly #get: Get
  readonly #post: Post
  readonly #beside: AuxiliaryEndpoints
  readonly #explorer: Explorer | undefined
  readonly #given: readonly string[]
  readonly #onClose: () => void
  #explained = false

  /**
   * `defaultUser`: where the framework's logins put the caller.
   * @throws TypeError for options that do not exist or do not fit.
   */
  constructor(
    router: McpRouter<never> | McpRouter<object>,
    options: AnyMountOptions,
    defaultUser: (raw: unknown) => unknown,
  ) {
    checkMountOptions(options)
    const core = coreOf(router)
    core.inFlight.reopen()
    core.runner?.work()
    core.sessions?.startListening()
    this.#core = core
    this.#onClose = () => core.inFlight.leave()
    this.#cors = options.cors === false ? undefined : options.cors
    this.#given = pathsOf(options)
    this.#origins = new OriginGuard({
      publicUrl: options.publicUrl,
      allowedOrigins: [...(options.allowedOrigins ?? []), ...corsOrigins(options.cors)],
      allowedHosts: options.allowedHosts,
      anyOrigin: options.cors === '*',
    })
    const { auth, publicUrl } = options
    if (auth !== undefined || options.user !== undefined) noteLogin(core, { hasLogin: true })
    const resource = new ProtectedResource({
      publicUrl,
      allowedHosts: options.allowedHosts,
      paths: this.#given,
    })
    this.route = routeOf(options, this.#given, resource)
    this.paths = toPaths(this.#given, otherPaths(options, auth === undefined ? [] : resource.metadataPaths))
    const name = core.info.title ?? core.info.name
    if (auth !== undefined) {
      this.#auth = new Authenticator({ core, options: auth, resource })
      this.#described = { resource, origins: this.#origins, options: auth, name }
      metadataOf(core).described.push(this.#described)
    }
    if (Explorer.isEnabled(options)) {
      this.#explorer = new Explorer({ options, resource, name, log: core.log })
      core.recentCalls ??= new RecentCalls()
    }
    this.#sessions = new HttpSessions(core, options.userId)
    const keepAlive = new KeepAlive(keepAliveMs)
    const connections = new LongStreams(core, keepAlive, {
      maxStreams: options.maxStreams ?? mostStreams,
      maxStreamsPerCaller: options.maxStreamsPerCaller ?? mostStreamsPerCaller,
    })
    const peers: GetOptions = {
      core,
      sessions: this.#sessions,
      user: options.user ?? defaultUser,
      hasUserOption: options.user !== undefined,
      context: options.context,
      userId: options.userId,
      auth: this.#auth,
      explorer: this.#explorer,
      streams: options.streams === false ? undefined : connections,
      keepAlive,
    }
    this.#get = new Get(peers)
    const limits = bodyLimits(options)
    this.#post = new Post({ ...peers, limits })
    this.#beside = new AuxiliaryEndpoints({
      peers,
      legacySse: new LegacySse({ ...peers, limits, connections, paths: legacySsePaths(options) }),
      explorer: this.#explorer,
      origins: this.#origins,
      cors: this.#cors,
    })
  }

  /** Says once where the endpoint is, when somebody posts to the mount point instead. */
  explainMiss(mountPath: string, path: string): void {
    if (this.#explained || mountPath === '' || (path !== '' && path !== '/')) return
    this.#explained = true
    const [own] = this.#given
    this.#core.log.warn(
      `nothing is served at ${mountPath}: the endpoint is ${mountPath}${own}; \`path\` changes that`,
    )
  }

  /** Never throws or rejects: whatever goes wrong becomes an answer. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    if (request.endpoint === 'metadata' && this.#described !== undefined)
      return metadataResponse(this.#described, request)
    return this.#admit(request, HttpHandler.#answering)
  }

  /** The answer to a request that failed before it reached us, in a parser of the app. Who may not come in hears that. */
  refuse(request: HttpRequest, error: McpError): HttpResponse | Promise<HttpResponse> {
    return this.#admit(request, { ...HttpHandler.#answering, next: () => refusalResponse(error) })
  }

  /**
   * For frameworks that read bodies before they ask us: the refusal of a request whose headers say enough; `undefined`:
   * read on, and `handle` it. Never rejects.
   */
  async refuseEarly(request: HttpRequest): Promise<HttpResponse | undefined> {
    if (request.endpoint === 'metadata') return undefined
    const passed: HttpResponse = { status: 204, headers: {}, body: undefined }
    const response = await this.#admit(request, { ...HttpHandler.#answering, next: () => passed })
    return response === passed ? undefined : response
  }

  /**
   * Before anything is read of the body. Preflights carry no token, who asks for the health needs none, and the page on
   * which one signs in tells nothing of the server.
   */
  #judge(request: HttpRequest): void | Promise<void> {
    const { method, endpoint } = request
    const open = method === 'OPTIONS' || endpoint === 'health' || this.#explorer?.serves(request) === true
    if (!open) return this.#auth?.authenticate(request)
  }

  static readonly #answering: Admission = {
    run: ({ handler, request }) => handler.#judge(request),
    next: (_, { handler, request }) => handler.#answer(request),
    onError: (error, { handler, request }) => refusalResponse(toRefusal(handler.#core, request, error)),
  }

  /** Origin and Host come first, then the token, then `next` of the steps. Never throws or rejects. */
  #admit(request: HttpRequest, admission: Admission): HttpResponse | Promise<HttpResponse> {
    const asked = { handler: this, request }
    try {
      this.#origins.check(request)
    } catch (error) {
      return admission.onError(error, asked)
    }
    this.#explorer?.announce(request)
    this.#track(request)
    const response = attempt(admission, asked)
    return this.#cors === undefined ? response : this.#share(response, request, this.#cors)
  }

  /** The headers with which a page may read what the host answers in our place. */
  sharedHeaders(request: HttpRequest): Record<string, string> {
    const origin = request.header('origin')
    if (this.#cors === undefined || origin === undefined) return {}
    try {
      this.#origins.check(request)
      return corsHeaders(this.#cors, origin)
    } catch {
      return {}
    }
  }

  /** Pages of allowed origins may read every answer, refusals too. */
  #share(
    response: HttpResponse | Promise<HttpResponse>,
    request: HttpRequest,
    cors: CorsOption,
  ): HttpResponse | Promise<HttpResponse> {
    const origin = request.header('origin')
    if (origin === undefined) return response
    return whenReady(response, (known) => {
      Object.assign(known.headers, corsHeaders(cors, origin))
      return known
    })
  }

  /** A closing server waits until whatever it let in was answered, or cannot be any more. */
  #track(request: HttpRequest): void {
    const { inFlight } = this.#core
    inFlight.enter()
    request.onClose(this.#onClose)
  }

  #answer(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    if (request.endpoint !== 'health' && request.refused !== undefined) throw request.refused
    if (this.#explorer?.serves(request)) return this.#explorer.respond(request)
    if (request.endpoint !== 'main') return this.#beside.answer(request)
    if (request.method === 'POST') return this.#post.handle(request)
    if (request.method === 'GET' && this.#get.offers(request)) return this.#get.handle(request)
    if (request.method === 'OPTIONS' && this.#cors !== undefined) return preflight(request)
    if (request.method === 'DELETE' && this.#sessions.offered) return this.#endSession(request)
    throw this.#methodNotAllowed(request.method)
  }

  /** Specification, sessions: DELETE ends one; from then on its id is answered with 404. */
  async #endSession(request: HttpRequest): Promise<HttpResponse> {
    await this.#sessions.end(request, () => this.#post.identify(request))
    return { status: 204, headers: {}, body: undefined }
  }

  #methodNotAllowed(method: string): McpError {
    const allow = [
      'POST',
      ...(this.#get.offered ? ['GET'] : []),
      ...(this.#sessions.offered ? ['DELETE'] : []),
      ...(this.#cors !== undefined ? ['OPTIONS'] : []),
    ].join(', ')
    return notAllowed(allow, method)
  }
}
