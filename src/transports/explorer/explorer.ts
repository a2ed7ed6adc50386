/** The explorer: the page that a browser gets at the endpoint, its files, and its OAuth client metadata document. */

import { runtime } from '#runtime'
import { ErrorCode, refusal } from '../../errors/errors.js'
import { isDevelopment, isEnvironmentUnset } from '../../server/router-options.js'
import type { Log } from '../../support/logger.js'
import type { ProtectedResource } from '../auth/protected-resource.js'
import { prefersHtml } from '../http/accept.js'
import type { AnyMountOptions } from '../http/mount-options.js'
import { isFromThisMachine, isLoopbackName } from '../http/origins.js'
import type { Endpoint, HttpRequest, HttpResponse } from '../http/shapes.js'
import { ExplorerKey } from './explorer-key.js'

export const clientFile = 'client.json'

/** The explorer's OAuth client metadata. `endpoint` is the page's URL and its redirect URI. */
export function clientDocument(endpoint: string, serverName: string): object {
  const { host } = new URL(endpoint)
  return {
    client_id: `${endpoint.replace(/\/$/, '')}/explorer/${clientFile}`,
    client_name: `Explorer of ${serverName}`,
    application_type: isLoopbackName(host) ? 'native' : 'web',
    redirect_uris: [endpoint],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** The files of the page with their content types. */
const contentTypes: Readonly<Record<string, string>> = {
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  'frame.html': 'text/html; charset=utf-8',
}

const prefix = '/explorer/'

/** The explorer's paths below the endpoint. */
export const explorerPaths: Readonly<Record<string, Endpoint>> = {
  ...Object.fromEntries(
    [...Object.keys(contentTypes), clientFile].map((name) => [prefix + name, 'explorer' as const]),
  ),
  '/explorer/routes.json': 'routes',
  '/activity': 'activity',
}

export interface ExplorerParts {
  readonly options: Pick<AnyMountOptions, 'explorer' | 'publicUrl' | 'auth'>
  readonly resource: ProtectedResource
  /** The server's display name. */
  readonly name: string
  readonly log: Log
}

/** The access of a request to the page. `locked`: the request needs the key. */
type Access = 'open' | 'locked' | 'closed'

export class Explorer {
  readonly #parts: ExplorerParts
  readonly #policy: string
  /** Every file is read once, at its first request. */
  readonly #files = new Map<string, Promise<string>>()

  readonly #key: ExplorerKey

  constructor(parts: ExplorerParts) {
    this.#parts = parts
    this.#key = new ExplorerKey(parts.log)
    this.#policy = pagePolicy(parts.options.auth?.authorizationServers ?? [])
  }

  /** Whether the mount may serve the page: with `explorer: true`, and by default in development and if NODE_ENV is unset. */
  static isEnabled({ explorer }: Pick<AnyMountOptions, 'explorer'>): boolean {
    return explorer ?? (isDevelopment() || isEnvironmentUnset())
  }

  /** Logs the link with the key at the first request that may use it, because a mount doesn't know its port before. */
  announce(request: HttpRequest): void {
    if (request.endpoint === 'main' && this.#needsKey && isFromThisMachine(request))
      this.#key.announce(request)
  }

  /** Whether the request has the key. */
  hasKey(request: HttpRequest): boolean {
    return this.#needsKey && isFromThisMachine(request) && this.#key.isIn(request)
  }

  /** Whether to respond with the page (to a browser's request to the endpoint) or with one of its files. */
  serves(request: HttpRequest): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const { endpoint } = request
    if (endpoint === 'explorer') return this.isOpenFor(request)
    return endpoint === 'main' && isBrowser(request) && this.#accessOf(request) !== 'closed'
  }

  /** Whether the request may use the explorer. */
  isOpenFor(request: HttpRequest): boolean {
    return this.#accessOf(request) === 'open'
  }

  get #needsKey(): boolean {
    return this.#parts.options.explorer !== true && isEnvironmentUnset()
  }

  #accessOf(request: HttpRequest): Access {
    if (!this.#needsKey) return this.#parts.options.explorer === true || isDevelopment() ? 'open' : 'closed'
    if (!isFromThisMachine(request)) return 'closed'
    return this.#key.isIn(request) ? 'open' : 'locked'
  }

  /** Responds with the page or a file, if `serves` returned true. Throws 404 if the file isn't part of the build. */
  async respond(request: HttpRequest): Promise<HttpResponse> {
    const path = pathOf(request.url)
    if (request.endpoint === 'main') {
      if (this.#accessOf(request) === 'locked') return page(lockedPage, lockedPolicy, 403)
      if (this.#key.isInUrl(request)) return this.#key.moveToCookie(request)
      const html = await this.#file('index.html')
      return page(html.replaceAll('"explorer/', `"${this.#lastSegment(path)}explorer/`), this.#policy)
    }
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (name === clientFile) return this.#client(request)
    const policy = name === 'frame.html' ? { 'Content-Security-Policy': framePolicy } : {}
    return {
      status: 200,
      headers: { 'Content-Type': contentTypes[name] ?? 'text/plain', ...policy, ...securityHeaders },
      body: await this.#file(name),
    }
  }

  /** The client metadata document, which identifies the page to authorization servers. */
  #client(request: HttpRequest): HttpResponse {
    const { options, resource, name } = this.#parts
    const url = options.auth === undefined ? undefined : resource.urlOf(request)
    if (url === undefined) throw refusal(ErrorCode.InvalidRequest, 'Not found', { status: 404 })
    const headers = { 'Content-Type': 'application/json', ...securityHeaders }
    return { status: 200, headers, body: JSON.stringify(clientDocument(url, name)) }
  }

  #file(name: string): Promise<string> {
    const known = this.#files.get(name)
    if (known !== undefined) return known
    const reading = runtime.explorerFile(name).catch(() => {
      this.#files.delete(name)
      const message = `Not found: the explorer's file ${name} is not part of this build; \`explorer: false\` turns the page off`
      throw refusal(ErrorCode.InvalidRequest, message, { status: 404 })
    })
    this.#files.set(name, reading)
    return reading
  }

  /**
   * The prefix of the page's links. They're relative, so that they work behind a proxy that adds a path prefix. Relative to
   * a path without a trailing slash, they must repeat its last segment.
   */
  #lastSegment(path: string): string {
    const { publicUrl } = this.#parts.options
    const pagePath = publicUrl === undefined ? path : new URL(publicUrl).pathname
    const last = pagePath.slice(pagePath.lastIndexOf('/') + 1)
    return last === '' ? '' : `${/^[\w.~%-]+$/.test(last) ? last : encodeURIComponent(last)}/`
  }
}

/** The page without the key. It reveals nothing about the server, because a proxy on this machine may expose it. */
const lockedPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Open the link from the log</title>
<h1>Open the link from the log</h1>
<p>This page needs a key. The log of the server has a link with it: look for <code>explorer:</code> where the server was started.</p>
<p>With <code>NODE_ENV=development</code> the page opens without a key.</p></html>
`

function isBrowser(request: HttpRequest): boolean {
  const resumes = request.header('mcp-session-id') ?? request.header('last-event-id')
  return resumes === undefined && prefersHtml(request.header('accept'))
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? ''
}

const securityHeaders = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

function page(html: string, policy: string, status = 200): HttpResponse {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    Vary: 'Accept',
    ...securityHeaders,
  }
  return { status, headers, body: html }
}

/** The page's content security policy. The page may only connect to its own server and to the issuers in `servers`. */
export function pagePolicy(servers: readonly string[]): string {
  const origins = new Set(servers.map((server) => new URL(server).origin))
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["connect-src 'self'", ...origins].join(' '),
    "frame-src 'self'",
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The content security policy of the page without the key. */
export const lockedPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/**
 * The content security policy for the pages of MCP Apps: an opaque origin and no network. No directive covers WebRTC, so
 * explorer/frame.html removes it, and Trusted Types prevent the app from restoring it.
 */
export const framePolicy: string = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ')
