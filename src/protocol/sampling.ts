/** The wire shapes of sampling: what a server asks of the client's model, and what that says. Types only. */

import type { AudioContent, ContentBlock, ImageContent, Meta, Role, TextContent } from './types.js'

/** A message of sampling; tools travel in it since 2025-11-25. */
export interface SamplingMessage {
  role: Role
  content: SamplingContent | SamplingContent[]
  _meta?: Meta | undefined
}

/** What messages to and from the client's model hold. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

/** A tool that the model wants to be called. From 2025-11-25 on. */
export interface ToolUseContent {
  type: 'tool_use'
  id: string
  name: string
  input: { [key: string]: unknown }
  _meta?: Meta | undefined
}

/** What came of a tool that the model wanted. From 2025-11-25 on. */
export interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean | undefined
  _meta?: Meta | undefined
}

/** What a server asks of the client's model. */
export interface CreateMessageParams {
  messages: SamplingMessage[]
  /** Tokens, 1 or more. */
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
  /** Clients with `sampling.tools`. */
  tools?: object[] | undefined
  toolChoice?: { mode?: 'auto' | 'required' | 'none' | undefined } | undefined
}

/** What the client's model said. */
export interface CreateMessageResult {
  role: Role
  content: SamplingContent | SamplingContent[]
  model: string
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or another text. */
  stopReason?: string | undefined
  _meta?: Meta | undefined
}
