/** `ctx.sample()` and `ctx.roots()`: requests to the client's model and for its folders. */

import { ErrorCode, refusal } from '../errors/errors.js'
import type { Revision } from '../protocol/revisions.js'
import type { CreateMessageParams, CreateMessageResult, SamplingMessage } from '../protocol/sampling.js'
import type { Root } from '../protocol/types.js'
import { describe, isObject, valueAt } from '../support/values.js'
import { type ClientRequest, invalidAnswer } from './client-request.js'

/** Options of `ctx.sample()`: the parameters on the wire, and a key. */
export interface SampleOptions extends CreateMessageParams {
  readonly key?: string | undefined
}

/** Builds the request. @throws TypeError for invalid options. */
export function sampling(options: SampleOptions): ClientRequest<CreateMessageResult> {
  const { key, ...params } = options ?? {}
  if (!Array.isArray(params.messages) || params.messages.length === 0)
    throw new TypeError(
      `sample(): expected \`messages\` to be a list of messages, got ${describe(params.messages)}`,
    )
  if (!Number.isInteger(params.maxTokens) || params.maxTokens < 1)
    throw new TypeError(
      `sample(): expected \`maxTokens\` to be a whole number, got ${describe(params.maxTokens)}`,
    )
  const usesTools = params.tools !== undefined || params.toolChoice !== undefined
  return {
    method: 'sampling/createMessage',
    key,
    needs: usesTools ? ['sampling', 'sampling.tools'] : ['sampling'],
    params(revision, declared) {
      if (usesTools && !revision.samplingTools) {
        throw refusal(
          ErrorCode.InvalidRequest,
          `sampling/createMessage: ${revision.version} has no tools in it`,
        )
      }
      const { includeContext, messages, ...rest } = params
      const shares = isObject(valueAt(declared, ['sampling', 'context']))
      return {
        messages: messages.map((message) => projectMessage(message, revision)),
        ...rest,
        ...(shares && includeContext !== undefined && { includeContext }),
      }
    },
    read(answer) {
      if (!isObject(answer))
        throw invalidAnswer('sampling/createMessage', `expected an object, got ${describe(answer)}`)
      const { role, content, model } = answer
      if (role !== 'user' && role !== 'assistant')
        throw invalidAnswer(
          'sampling/createMessage',
          `expected role to be user or assistant, got ${describe(role)}`,
        )
      if (!(Array.isArray(content) ? content.every(isBlock) : isBlock(content)))
        throw invalidAnswer(
          'sampling/createMessage',
          'expected content to be a content block, or a list of them',
        )
      if (typeof model !== 'string')
        throw invalidAnswer('sampling/createMessage', `expected model to be a text, got ${describe(model)}`)
      return answer as unknown as CreateMessageResult
    },
  }
}

export function roots(options: { readonly key?: string | undefined } = {}): ClientRequest<Root[]> {
  return {
    method: 'roots/list',
    key: options.key,
    needs: ['roots'],
    params: () => undefined,
    read(answer) {
      const listed = isObject(answer) ? answer.roots : undefined
      if (!Array.isArray(listed))
        throw invalidAnswer('roots/list', `expected roots to be a list, got ${describe(listed)}`)
      const isRoot = (root: unknown): boolean => isObject(root) && typeof root.uri === 'string'
      if (!listed.every(isRoot)) throw invalidAnswer('roots/list', 'expected each root to have a uri')
      return listed as Root[]
    },
  }
}

/** Converts a message to a revision. Before 2025-11-25, a message has one block. */
function projectMessage(message: SamplingMessage, { samplingTools, version }: Revision): SamplingMessage {
  const { content } = message
  if (samplingTools || !Array.isArray(content)) return message
  const [only] = content
  if (content.length === 1 && only !== undefined) return { ...message, content: only }
  throw refusal(
    ErrorCode.InvalidRequest,
    `sampling/createMessage: a message has one block in ${version}, and this one has ${content.length}`,
  )
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string'
}
