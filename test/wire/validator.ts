/** Judges messages by the official JSON Schema of their revision. For every transport: nothing here knows the router. */
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

export type Json = Record<string, unknown>

/** The definition that describes the result of each method we serve. */
const results: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'tasks/get': 'GetTaskResult',
  'tasks/update': 'UpdateTaskResult',
  'tasks/cancel': 'CancelTaskResult',
  'tasks/result': 'GetTaskPayloadResult',
}

/** A call may end with something else than what was asked for. */
function resultOf(method: string, result: Json | undefined): string | undefined {
  if (result?.resultType === 'input_required') return 'InputRequiredResult'
  if (result?.resultType === 'task' || result?.task !== undefined) return 'CreateTaskResult'
  return results[method]
}

/** Tasks of 2026-07-28 are an extension with a schema of its own. */
function schemaOf(version: string, definition: string): string {
  return version === '2026-07-28' && definition.includes('Task') ? 'ext-tasks' : version
}

const notices: Readonly<Record<string, string>> = {
  'notifications/progress': 'ProgressNotification',
  'notifications/message': 'LoggingMessageNotification',
  'notifications/cancelled': 'CancelledNotification',
  'notifications/tools/list_changed': 'ToolListChangedNotification',
  'notifications/resources/list_changed': 'ResourceListChangedNotification',
  'notifications/resources/updated': 'ResourceUpdatedNotification',
  'notifications/prompts/list_changed': 'PromptListChangedNotification',
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledgedNotification',
  'notifications/tasks': 'TaskStatusNotification',
}

export interface Validator {
  /** Problems of one response to `method`: its envelope, and its result or error. Empty when it is valid. */
  response(method: string, message: unknown): string[]
  /** Problems of a request that a legacy server sent. */
  request(message: unknown): string[]
  /** Problems of a notification that a server sent. */
  notification(message: unknown): string[]
  /** Problems of any value, by the name of a definition. */
  check(definition: string, value: unknown): string[]
}

const made = new Map<string, Validator>()

/** The validator of one revision, such as `2025-11-25`. */
export function validatorFor(version: string): Validator {
  const known = made.get(version) ?? makeValidator(version)
  made.set(version, known)
  return known
}

function makeValidator(version: string): Validator {
  const text = readFileSync(new URL(`./schemas/${version}.json`, import.meta.url), 'utf8')
  const schema = JSON.parse(text) as Json
  const holder = schema.$defs === undefined ? 'definitions' : '$defs'
  const options = { strict: false, allErrors: true, validateFormats: false }
  const ajv = holder === '$defs' ? new Ajv2020(options) : new Ajv(options)
  ajv.addSchema(schema, 'mcp')
  const compiled = new Map<string, ValidateFunction>()

  const has = (definition: string): boolean => Object.hasOwn(schema[holder] as Json, definition)

  function check(definition: string, value: unknown): string[] {
    if (!has(definition)) return [`${version} has no ${definition}`]
    const validate = compiled.get(definition) ?? ajv.compile({ $ref: `mcp#/${holder}/${definition}` })
    compiled.set(definition, validate)
    // What is judged is what travels.
    if (validate(JSON.parse(JSON.stringify(value)))) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${definition}${instancePath}: ${message}`,
    )
  }

  function either(names: readonly string[], value: unknown): string[] {
    const name = names.find(has)
    return name === undefined ? [`${version} has none of ${names.join(', ')}`] : check(name, value)
  }

  return {
    check,
    response(method, message) {
      if (typeof message !== 'object' || message === null) return [`${method}: no answer`]
      if ('error' in message) return either(['JSONRPCErrorResponse', 'JSONRPCError'], message)
      const result = resultOf(method, (message as Json).result as Json | undefined)
      const whole = result === undefined ? '' : `${result}Response`
      return [
        ...either(['JSONRPCResultResponse', 'JSONRPCResponse'], message),
        ...(result === undefined
          ? []
          : validatorFor(schemaOf(version, result)).check(result, (message as Json).result)),
        ...(has(whole) ? check(whole, message) : []),
      ]
    },
    request: (message) => [...check('JSONRPCRequest', message), ...check('ServerRequest', message)],
    notification(message) {
      const name = notices[String((message as Json).method)]
      return [
        ...check('JSONRPCNotification', message),
        ...(name === undefined
          ? [`${String((message as Json).method)}: no known notification`]
          : validatorFor(schemaOf(version, name)).check(name, message)),
      ]
    },
  }
}
