/** Streamable HTTP, both eras at one endpoint: `HttpRequest` in, `HttpResponse` out. */

import type { Core } from '../core.js'
import { brandOf, ErrorCode, type McpError, refusal } from '../errors.js'
import { reportHostFault } from '../failures/report.js'
import { errorResponse } from '../protocol/jsonrpc.js'
import { coreOf, type McpRouter } from '../router.js'
import { type CorsOption, corsHeaders, corsOrigins, preflight } from './cors.js'
import { HttpSessions } from './http-sessions.js'
import { type AnyMountOptions, checkMountOptions } from './mount-options.js'
import { OriginGuard } from './origins.js'
import { type Route, toRoute } from './paths.js'
import { Post } from './post.js'
import type { HttpRequest, HttpResponse } from './shapes.js'

/** One mounted endpoint. Made once, by a mount; serves any number of requests. */
export class HttpHandler {
  /** Which endpoint a path asks for; `undefined`: not ours, pass it on. */
  readonly route: Route
  readonly #core: Core
  readonly #cors: CorsOption | undefined
  readonly #origins: OriginGuard
  readonly #sessions: HttpSessions
  readonly #post: Post
  readonly #paths: readonly string[]
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
    core.running.reopen()
    this.#core = core
    this.#cors = options.cors === false ? undefined : options.cors
    const { path = '/mcp' } = options
    this.#paths = typeof path === 'string' ? [path] : path
    this.route = toRoute(this.#paths, options.health)
    this.#origins = new OriginGuard({
      publicUrl: options.publicUrl,
      allowedOrigins: [...(options.allowedOrigins ?? []), ...corsOrigins(options.cors)],
      allowedHosts: options.allowedHosts,
      anyOrigin: options.cors === '*',
    })
    this.#sessions = new HttpSessions(core, options.userId)
    this.#post = new Post({
      core,
      sessions: this.#sessions,
      user: options.user ?? defaultUser,
      context: options.context,
      limits: {
        maxBodyBytes: options.maxBodyBytes ?? 4 * 1024 * 1024,
        maxDepth: options.maxDepth ?? 64,
        maxElements: options.maxElements ?? 100_000,
      },
    })
  }

  /** Says once where the endpoint is, when somebody posts to the mount point instead. */
  explainMiss(mountPath: string, path: string): void {
    if (this.#explained || mountPath === '' || (path !== '' && path !== '/')) return
    this.#explained = true
    const [own = '/mcp'] = this.#paths
    this.#core.log.warn(
      `nothing is served at ${mountPath}: the endpoint is ${mountPath}${own}; \`path\` changes that`,
    )
  }

  /** Never rejects: whatever goes wrong becomes an answer. */
  handle(request: HttpRequest): Promise<HttpResponse> {
    return this.#admit(request, () => this.#answer(request))
  }

  /** The answer to a request that failed before it reached us, in a parser of the app. */
  refuse(request: HttpRequest, error: McpError): Promise<HttpResponse> {
    return this.#admit(request, () => refusalResponse(error))
  }

  /** Origin and Host come first; pages of allowed origins may read every answer, refusals too. */
  async #admit(
    request: HttpRequest,
    answer: () => HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    try {
      this.#origins.check(request)
    } catch (error) {
      return refusalResponse(this.#toRefusal(request, error))
    }
    this.#track(request)
    const response = await this.#settle(request, answer)
    const origin = request.header('origin')
    if (this.#cors !== undefined && origin !== undefined) {
      Object.assign(response.headers, corsHeaders(this.#cors, origin))
    }
    return response
  }

  /** A closing server waits until whatever it let in was answered, or cannot be any more. */
  #track(request: HttpRequest): void {
    const { running } = this.#core
    running.enter()
    request.onClose(() => running.leave())
  }

  async #settle(
    request: HttpRequest,
    answer: () => HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    try {
      return await answer()
    } catch (error) {
      return refusalResponse(this.#toRefusal(request, error))
    }
  }

  /** What is no refusal of ours came from the host's own functions, and stays here. */
  #toRefusal({ method }: HttpRequest, error: unknown): McpError {
    if (brandOf(error) === 'mcp') {
      const refused = error as McpError
      if (refused.http?.status === 403) this.#core.log.warn(refused.message)
      return refused
    }
    reportHostFault(this.#core, error, method)
    return refusal(ErrorCode.InternalError, 'Internal error', { status: 500 })
  }

  async #answer(request: HttpRequest): Promise<HttpResponse> {
    if (request.endpoint === 'health') return this.#health(request)
    if (request.refused !== undefined) throw request.refused
    if (request.method === 'POST') return this.#post.handle(request)
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
      ...(this.#sessions.offered ? ['DELETE'] : []),
      ...(this.#cors !== undefined ? ['OPTIONS'] : []),
    ].join(', ')
    return refusal(ErrorCode.InvalidRequest, `Method not allowed: expected ${allow}, got ${method}`, {
      status: 405,
      headers: { Allow: allow },
    })
  }

  #health(request: HttpRequest): HttpResponse {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw refusal(ErrorCode.InvalidRequest, 'Method not allowed: expected GET', {
        status: 405,
        headers: { Allow: 'GET, HEAD' },
      })
    }
    const { info, running, counts } = this.#core
    const status = running.closing ? 'closing' : 'ok'
    const body = { status, server: info.name, version: info.version, running: running.size, ...counts }
    return {
      status: running.closing ? 503 : 200,
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
      body: JSON.stringify(body),
    }
  }
}

/** An answer to something that never became a request: a JSON-RPC error without an id. */
export function refusalResponse(error: McpError): HttpResponse {
  const { status = 400, headers = {} } = error.http ?? {}
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(errorResponse(undefined, error)),
  }
}
