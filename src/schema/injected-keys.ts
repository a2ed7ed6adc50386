/** Keys that clients are known to add to the arguments of every tool, though no schema asked for them. */
export const injectedKeys: ReadonlySet<string> = new Set([
  // n8n's MCP client tool: its own chat trigger and agent
  'sessionId',
  'action',
  'chatInput',
  'toolCallId',
  'tool',
  'toolParameters',
  // Cursor, for tools without parameters
  'random_string',
  // Gemini CLI and Antigravity: their schedulers and their display
  'wait_for_previous',
  'wait_for_previous_tools',
  'waitForPreviousTools',
  'toolAction',
  'toolSummary',
  // SiYuan
  '_sessionID',
  // mcpproxy
  '_auth_auth_type',
  // belongs beside the arguments
  '_meta',
])
