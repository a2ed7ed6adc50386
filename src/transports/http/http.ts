/** Streamable HTTP, with both eras at one endpoint: takes an `HttpRequest` and returns an `HttpResponse`. */

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

const defaultMaxStreams = 20_000
const defaultMaxStreamsPerCaller = 100

interface IncomingRequest {
  readonly handler: HttpHandler
  readonly request: HttpRequest
}

/** The steps from authentication to the response. */
type ServeSteps = Steps<void, HttpResponse, IncomingRequest>

/** The handler of a mounted endpoint. A mount creates it once, for all its requests. */
export class HttpHandler {
  /** Finds the endpoint for a path; returns `undefined` for other paths, which the mount must pass on. */
  readonly route: Route
  /** All paths below a mount point for which `route` may return an endpoint. */
  readonly paths: readonly string[]
  readonly #core: Core
  readonly #cors: CorsOption | undefined
  readonly #origins: OriginGuard
  readonly #auth: Authenticator | undefined
  readonly #described: DescribedMount | undefined
  readonly #sessions: HttpSessions
  readonly #get: Get
  readonly #post: Post
  readonly #auxiliary: AuxiliaryEndpoints
  readonly #explorer: Explorer | undefined
  readonly #endpointPaths: readonly string[]
  readonly #onClose: () => void
  #warnedOfMiss = false

  /**
   * `defaultUser` reads the user from the framework's request, where its logins put it.
   * @throws TypeError for unknown or invalid options.
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
    this.#endpointPaths = pathsOf(options)
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
      paths: this.#endpointPaths,
    })
    this.route = routeOf(options, this.#endpointPaths, resource)
    this.paths = toPaths(
      this.#endpointPaths,
      otherPaths(options, auth === undefined ? [] : resource.metadataPaths),
    )
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
      maxStreams: options.maxStreams ?? defaultMaxStreams,
      maxStreamsPerCaller: options.maxStreamsPerCaller ?? defaultMaxStreamsPerCaller,
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
    this.#auxiliary = new AuxiliaryEndpoints({
      peers,
      legacySse: new LegacySse({ ...peers, limits, connections, paths: legacySsePaths(options) }),
      explorer: this.#explorer,
      origins: this.#origins,
      cors: this.#cors,
    })
  }

  /** Logs the endpoint's address once, when a client posts to the mount point instead. */
  explainMiss(mountPath: string, path: string): void {
    if (this.#warnedOfMiss || mountPath === '' || (path !== '' && path !== '/')) return
    this.#warnedOfMiss = true
    const [endpointPath] = this.#endpointPaths
    this.#core.log.warn(
      `nothing is served at ${mountPath}: the endpoint is ${mountPath}${endpointPath}; \`path\` changes that`,
    )
  }

  /** Handles a request. Never throws or rejects: errors become responses. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    if (request.endpoint === 'metadata' && this.#described !== undefined)
      return metadataResponse(this.#described, request)
    return this.#serve(request, HttpHandler.#serveSteps)
  }

  /**
   * The error response to a request that failed before it reached the endpoint, such as in the app's parser. A request that
   * isn't authorized gets that error instead.
   */
  refuse(request: HttpRequest, error: McpError): HttpResponse | Promise<HttpResponse> {
    return this.#serve(request, { ...HttpHandler.#serveSteps, next: () => refusalResponse(error) })
  }

  /**
   * Checks a request by its headers, for frameworks that read the body first. Resolves to the error response, or to
   * `undefined`: then read the body and call `handle`. Never rejects.
   */
  async refuseEarly(request: HttpRequest): Promise<HttpResponse | undefined> {
    if (request.endpoint === 'metadata') return undefined
    const passed: HttpResponse = { status: 204, headers: {}, body: undefined }
    const response = await this.#serve(request, { ...HttpHandler.#serveSteps, next: () => passed })
    return response === passed ? undefined : response
  }

  /**
   * Authenticates a request before its body is read. Preflights have no token, health doesn't need one, and the explorer's
   * page, where people sign in, reveals nothing about the server.
   */
  #authenticate(request: HttpRequest): void | Promise<void> {
    const { method, endpoint } = request
    const open = method === 'OPTIONS' || endpoint === 'health' || this.#explorer?.serves(request) === true
    if (!open) return this.#auth?.authenticate(request)
  }

  static readonly #serveSteps: ServeSteps = {
    run: ({ handler, request }) => handler.#authenticate(request),
    next: (_, { handler, request }) => handler.#respond(request),
    onError: (error, { handler, request }) => refusalResponse(toRefusal(handler.#core, request, error)),
  }

  /** Checks Origin and Host, then runs the steps: the token, then `next`. Never throws or rejects. */
  #serve(request: HttpRequest, steps: ServeSteps): HttpResponse | Promise<HttpResponse> {
    const incoming = { handler: this, request }
    try {
      this.#origins.check(request)
    } catch (error) {
      return steps.onError(error, incoming)
    }
    this.#explorer?.announce(request)
    this.#trackRequest(request)
    const response = attempt(steps, incoming)
    return this.#cors === undefined ? response : this.#addCorsHeaders(response, request, this.#cors)
  }

  /** The CORS headers for a response that the app sends instead of the endpoint. */
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

  /** Adds CORS headers, so that pages of allowed origins can read every response, including errors. */
  #addCorsHeaders(
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

  /** Counts the request as running until its response is sent or the client disconnects: a closing server waits for it. */
  #trackRequest(request: HttpRequest): void {
    const { inFlight } = this.#core
    inFlight.enter()
    request.onClose(this.#onClose)
  }

  #respond(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    if (request.endpoint !== 'health' && request.refused !== undefined) throw request.refused
    if (this.#explorer?.serves(request)) return this.#explorer.respond(request)
    if (request.endpoint !== 'main') return this.#auxiliary.respond(request)
    if (request.method === 'POST') return this.#post.handle(request)
    if (request.method === 'GET' && this.#get.serves(request)) return this.#get.handle(request)
    if (request.method === 'OPTIONS' && this.#cors !== undefined) return preflight(request)
    if (request.method === 'DELETE' && this.#sessions.isOffered) return this.#endSession(request)
    throw this.#methodNotAllowed(request.method)
  }

  /** Ends a session (specification, Session management). Later requests with its id get 404. */
  async #endSession(request: HttpRequest): Promise<HttpResponse> {
    await this.#sessions.end(request, () => this.#post.resolveCaller(request))
    return { status: 204, headers: {}, body: undefined }
  }

  #methodNotAllowed(method: string): McpError {
    const allow = [
      'POST',
      ...(this.#get.isOffered ? ['GET'] : []),
      ...(this.#sessions.isOffered ? ['DELETE'] : []),
      ...(this.#cors !== undefined ? ['OPTIONS'] : []),
    ].join(', ')
    return notAllowed(allow, method)
  }
}
