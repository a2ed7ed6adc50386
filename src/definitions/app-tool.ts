/** MCP Apps (extension `io.modelcontextprotocol/ui`): defines a tool together with the page that shows its results. */

import type { Schema } from '../schema/types.js'
import {
  aBoolean,
  anObject,
  arrayOf,
  aString,
  type Check,
  checkOptions,
  expected,
  nested,
  oneOf,
} from '../support/check-options.js'
import type { Awaitable, Register } from './context.js'
import { type Resource, resource, type Tool, tool } from './define.js'
import type { NoInput, NoOutput, ToolOptions } from './options.js'

/** The HTML page of an app and the permissions of its sandbox. Permissions that are left out are denied. */
export interface AppPage {
  /** A complete HTML document, or a function that returns one. */
  html: string | (() => Awaitable<string>)
  /** Default: `ui://<name>/index.html`. */
  uri?: string | undefined
  /** Origins that the page may connect to, load resources from, embed in frames, and use as base URI. */
  csp?:
    | {
        connectDomains?: readonly string[] | undefined
        resourceDomains?: readonly string[] | undefined
        frameDomains?: readonly string[] | undefined
        baseUriDomains?: readonly string[] | undefined
      }
    | undefined
  permissions?: readonly ('camera' | 'microphone' | 'geolocation' | 'clipboardWrite')[] | undefined
  /** A dedicated sandbox origin, in the format that the host requires. */
  domain?: string | undefined
  prefersBorder?: boolean | undefined
  /** The callers allowed to use the tool: the model, the page, or both (default). The host enforces it. */
  visibility?: readonly ('model' | 'app')[] | undefined
}

export const appMimeType = 'text/html;profile=mcp-app'

const origins: Check = arrayOf(
  expected('an origin such as https://api.example.com', (value) => {
    return typeof value === 'string' && /^(?:https?|wss?):\/\/[^\s/;,'"]+$/.test(value)
  }),
)
const domains = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains']
const isDocument = (html: string): boolean => /<(?:!doctype html|html)\b/i.test(html.slice(0, 1_024))

const table = {
  known: {
    html: expected('a complete HTML document, or a function that gives it', (value) =>
      typeof value === 'string' ? isDocument(value) : typeof value === 'function',
    ),
    uri: expected('a URI that starts with ui://', (value) => /^ui:\/\/[^\s{}]+$/.test(String(value))),
    csp: nested(Object.fromEntries(domains.map((name) => [name, origins]))),
    permissions: arrayOf(oneOf(['camera', 'microphone', 'geolocation', 'clipboardWrite'])),
    domain: aString,
    prefersBorder: aBoolean,
    visibility: arrayOf(oneOf(['model', 'app'])),
  },
}

/**
 * Defines a tool with a page that shows its results: `router.add(appTool('board', { page: { html }, … }))`. Hosts
 * without MCP Apps show the tool's result instead, so the handler must return readable content.
 * @throws TypeError for unknown or invalid options.
 */
export function appTool<
  const I extends Schema = NoInput,
  const O extends Schema = NoOutput,
  E extends object = Register,
  const R extends boolean = false,
>(
  name: string,
  { page, ...options }: ToolOptions<I, O, E, R> & { page: AppPage },
): Record<string, Tool<E> | Resource<E>> {
  const owner = `appTool("${name}")`
  anObject(page, `${owner}: expected \`page\``)
  checkOptions(`${owner} page`, page, table)
  const { html, uri = `ui://${name}/index.html`, visibility } = page
  const link = { resourceUri: uri, ...(visibility !== undefined && { visibility }) }
  const ui = sandboxOf(page)
  return {
    // Hosts from before the extension was published read the flat key.
    [name]: tool<I, O, E, R>({
      ...options,
      meta: { ...options.meta, ui: link, 'ui/resourceUri': uri },
    } as ToolOptions<I, O, E, R>),
    [uri]: resource(uri, {
      name: `${name}_page`,
      description: `The page of ${name}`,
      mimeType: appMimeType,
      meta: { ui },
      handler: async () => ({ text: typeof html === 'string' ? html : await html(), meta: { ui } }),
    }) as unknown as Resource<E>,
  }
}

function sandboxOf({ csp, permissions, domain, prefersBorder }: AppPage): Record<string, unknown> {
  return {
    ...(csp !== undefined && { csp }),
    ...(permissions !== undefined && {
      permissions: Object.fromEntries(permissions.map((permission) => [permission, {}])),
    }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  }
}
