/** `ctx.elicit()` and confirmations: a form with a schema, or a page to open. */

import { runtime } from '#runtime'
import type { Elicited } from '../definitions/context.js'
import { ErrorCode, refusal } from '../errors/errors.js'
import type { Revision } from '../protocol/revisions.js'
import type { RequestServices } from '../request/services.js'
import { type CompiledSchema, compileInput, describeIssues, type JsonObject } from '../schema/index.js'
import type { Schema } from '../schema/types.js'
import { toBase64Url } from '../support/base64.js'
import { describe, isObject } from '../support/values.js'
import { type ClientRequest, invalidAnswer } from './client-request.js'
import { toFormSchema, toRevisionFormSchema } from './form-schema.js'

/** Options of `ctx.elicit()`: exactly one of `schema` and `url`. */
export interface ElicitOptions {
  readonly message: string
  readonly schema?: Schema | undefined
  readonly url?: string | undefined
  readonly key?: string | undefined
}

interface Form {
  readonly requested: JsonObject
  readonly check: CompiledSchema['check']
}

/** Forms by their schema, each converted once. */
const forms = new WeakMap<object, Form>()

/** Builds the request. @throws TypeError for options that describe neither a form nor a page. */
export function elicitation(
  services: RequestServices,
  options: ElicitOptions,
): ClientRequest<Elicited<unknown>> {
  const { message, schema, url, key } = options ?? {}
  if (typeof message !== 'string')
    throw new TypeError(`elicit(): expected a text as \`message\`, got ${describe(message)}`)
  if ((schema === undefined) === (url === undefined)) {
    throw new TypeError('elicit(): expected either a `schema`, for a form, or a `url`, for a page to open')
  }
  return schema === undefined
    ? page({ message, url: toUrl(url), key })
    : form(services, { message, schema, key })
}

function form(
  services: RequestServices,
  { message, schema, key }: { message: string; schema: Schema; key: string | undefined },
): ClientRequest<Elicited<unknown>> {
  const { requested, check } = forms.get(schema) ?? remember(services, schema)
  return {
    method: 'elicitation/create',
    key,
    needs: ['elicitation'],
    params(revision) {
      assertElicits(revision)
      const requestedSchema = toRevisionFormSchema(requested, revision)
      return revision.elicitation === 'full'
        ? { mode: 'form', message, requestedSchema }
        : { message, requestedSchema }
    },
    async read(answer) {
      const action = actionOf(answer)
      if (action !== 'accept') return { action }
      const content = (answer as { content?: unknown }).content ?? {}
      if (!isObject(content))
        throw invalidAnswer(
          'elicitation/create',
          `expected content to be an object, got ${describe(content)}`,
        )
      const checked = await check(content)
      if (checked.issues !== undefined)
        throw invalidAnswer('elicitation/create', describeIssues(checked.issues))
      return { action, content: checked.value }
    },
  }
}

function page({
  message,
  url,
  key,
}: {
  message: string
  url: string
  key: string | undefined
}): ClientRequest<Elicited<unknown>> {
  return {
    method: 'elicitation/create',
    key,
    needs: ['elicitation.url'],
    params(revision) {
      assertElicits(revision)
      if (revision.elicitation !== 'full')
        throw refusal(
          ErrorCode.InvalidRequest,
          `elicitation/create: clients of ${revision.version} cannot open a page; ask them with a \`schema\``,
        )
      const request = { mode: 'url', message, url }
      return revision.era === 'legacy'
        ? { ...request, elicitationId: toBase64Url(runtime.random(18)) }
        : request
    },
    read: (answer) => ({ action: actionOf(answer), content: undefined }),
  }
}

function remember(services: RequestServices, schema: Schema): Form {
  const { support, warn } = services.registry.defaults
  const compiled = compileInput(schema, {
    owner: 'elicit()',
    support,
    warn,
    unknownArguments: undefined,
    defaultUnknownArguments: 'strip',
    coerceStrings: false,
  })
  const made = { requested: toFormSchema(compiled.json), check: compiled.check }
  forms.set(schema, made)
  return made
}

/** Throws for revisions before 2025-06-18, which have no elicitation. */
export function assertElicits({ elicitation, version }: Revision): void {
  if (elicitation === 'none')
    throw refusal(ErrorCode.InvalidRequest, `elicitation/create: ${version} has no elicitation`)
}

/** Returns the user's action. Throws `invalidAnswer`. */
export function actionOf(answer: unknown): Elicited<unknown>['action'] {
  const action = isObject(answer) ? answer.action : undefined
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action
  throw invalidAnswer(
    'elicitation/create',
    `expected action to be accept, decline or cancel, got ${describe(action)}`,
  )
}

/** Accepts `http:` and `https:` only, never `javascript:` or `file:`. */
function toUrl(url: unknown): string {
  const text = url instanceof URL ? url.href : url
  if (typeof text === 'string' && /^https?:\/\/[^/]/i.test(text)) return text
  throw new TypeError(`elicit(): expected \`url\` to be an http or https URL, got ${describe(url)}`)
}

/** The prefix of keys of our own requests. */
export const ownKeys = 'mcp-router/'

/** Longer arguments are truncated in the confirmation message. Characters. */
const longestShown = 2_000

export function confirmation(
  owner: string,
  input: unknown,
): ClientRequest<Pick<Elicited<unknown>, 'action'>> {
  const shown = JSON.stringify(input, undefined, 2) ?? ''
  const cut = shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown
  const message = `Run ${owner} with these arguments?\n${cut}`
  const requestedSchema = { type: 'object', properties: {} }
  return {
    method: 'elicitation/create',
    key: `${ownKeys}confirm`,
    needs: ['elicitation'],
    bound: true,
    params(revision) {
      assertElicits(revision)
      const request = { message, requestedSchema }
      return revision.elicitation === 'full' ? { mode: 'form', ...request } : request
    },
    read: (answer) => ({ action: actionOf(answer) }),
  }
}
