/** The page for people: what a browser gets that opens the endpoint, and the files of that page. */

import { runtime } from '#runtime'
import { ErrorCode, refusal } from '../errors.js'
import { isDevelopment } from '../router-options.js'
import { prefersHtml } from './accept.js'
import type { AnyMountOptions } from './mount-options.js'
import { isNear } from './origins.js'
import type { Endpoint, HttpRequest, HttpResponse } from './shapes.js'

/** The files of the page, and what each is. */
const types: Readonly<Record<string, string>> = {
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  'frame.html': 'text/html; charset=utf-8',
}

const prefix = '/explorer/'

/** Below the endpoint. */
export const explorerPaths: Readonly<Record<string, Endpoint>> = {
  ...Object.fromEntries(Object.keys(types).map((name) => [prefix + name, 'explorer' as const])),
  '/explorer/routes.json': 'routes',
  '/activity': 'activity',
}

export class Explorer {
  readonly #always: boolean
  readonly #publicUrl: string | undefined
  /** Each is read once, when it is first asked for. */
  readonly #files = new Map<string, Promise<string>>()

  constructor({ explorer, publicUrl }: Pick<AnyMountOptions, 'explorer' | 'publicUrl'>) {
    this.#always = explorer === true
    this.#publicUrl = publicUrl
  }

  /** Whether there may be a page at all: not in production, unless it is asked for. */
  static offered({ explorer }: Pick<AnyMountOptions, 'explorer'>): boolean {
    return explorer ?? isDevelopment() !== false
  }

  /** Whether it is this request that gets it: a browser's, and one of its files. */
  shows(request: HttpRequest): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const { endpoint } = request
    if (endpoint !== 'explorer' && (endpoint !== 'main' || !isBrowser(request))) return false
    return this.isOpenFor(request)
  }

  /** Whether who asks may have it. */
  isOpenFor(request: HttpRequest): boolean {
    return this.#always || (isDevelopment() ?? isNear(request))
  }

  /** For what `shows` said yes to. Throws 404 where the files cannot be had. */
  async answer(request: HttpRequest): Promise<HttpResponse> {
    const path = pathOf(request.url)
    if (request.endpoint === 'main') {
      const html = await this.#file('index.html')
      return page(html.replaceAll('"explorer/', `"${this.#lastSegment(path)}explorer/`))
    }
    const name = path.slice(path.lastIndexOf('/') + 1)
    const policy = name === 'frame.html' ? { 'Content-Security-Policy': framePolicy } : {}
    return {
      status: 200,
      headers: { 'Content-Type': types[name] ?? 'text/plain', ...policy, ...guarded },
      body: await this.#file(name),
    }
  }

  #file(name: string): Promise<string> {
    const known = this.#files.get(name)
    if (known !== undefined) return known
    const reading = runtime.explorerFile(name).catch(() => {
      this.#files.delete(name)
      const why = `Not found: the explorer's file ${name} is not part of this build; \`explorer: false\` turns the page off`
      throw refusal(ErrorCode.InvalidRequest, why, { status: 404 })
    })
    this.#files.set(name, reading)
    return reading
  }

  /**
   * Links of the page are relative, so that it works below whatever a proxy puts in front; relative to an address without
   * a slash at its end, the last segment must be said again.
   */
  #lastSegment(path: string): string {
    const seen = this.#publicUrl === undefined ? path : new URL(this.#publicUrl).pathname
    const last = seen.slice(seen.lastIndexOf('/') + 1)
    return last === '' ? '' : `${/^[\w.~%-]+$/.test(last) ? last : encodeURIComponent(last)}/`
  }
}

function isBrowser(request: HttpRequest): boolean {
  const resumes = request.header('mcp-session-id') ?? request.header('last-event-id')
  return resumes === undefined && prefersHtml(request.header('accept'))
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? ''
}

const guarded = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** Nothing runs but the page's own files; nothing is sent but to the server that it came from. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** For the pages of MCP Apps: an origin of nobody's, and no network at all. */
const framePolicy = [
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
].join('; ')

function page(html: string): HttpResponse {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    Vary: 'Accept',
    ...guarded,
  }
  return { status: 200, headers, body: html }
}
