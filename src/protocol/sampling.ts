/** Wire types of sampling: the server's request to the client's model, and its result. */

import type { AudioContent, ContentBlock, ImageContent, Meta, Role, TextContent } from './types.js'

/** A message of sampling. Has tool use since 2025-11-25. */
export interface SamplingMessage {
  role: Role
  content: SamplingContent | SamplingContent[]
  _meta?: Meta | undefined
}

/** A content block of a message to or from the client's model. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

/** A tool call of the model. Since 2025-11-25. */
export interface ToolUseContent {
  type: 'tool_use'
  id: string
  name: string
  input: { [key: string]: unknown }
  _meta?: Meta | undefined
}

/** The result of a tool that the model called. Since 2025-11-25. */
export interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean | undefined
  _meta?: Meta | undefined
}

/** Params of `sampling/createMessage`. */
export interface CreateMessageParams {
  messages: SamplingMessage[]
  /** The most tokens to generate, 1 or more. */
  maxTokens: number
  systemPrompt?: string | undefined
  modelPreferences?:
    | {
        hints?: { name?: string }[] | undefined
        costPriority?: number | undefined
        speedPriority?: number | undefined
        intelligencePriority?: number | undefined
      }
    | undefined
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined
  temperature?: number | undefined
  stopSequences?: string[] | undefined
  metadata?: object | undefined
  /** Needs a client with the capability `sampling.tools`. */
  tools?: object[] | undefined
  toolChoice?: { mode?: 'auto' | 'required' | 'none' | undefined } | undefined
}

/** Result of `sampling/createMessage`. */
export interface CreateMessageResult {
  role: Role
  content: SamplingContent | SamplingContent[]
  model: string
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or another text. */
  stopReason?: string | undefined
  _meta?: Meta | undefined
}
