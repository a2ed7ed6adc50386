/** Request headers that never become arguments: who is calling, and how the request travels, is not the model's to say. */

const names: ReadonlySet<string> = new Set([
  // who is calling
  ...['authorization', 'proxy-authorization', 'cookie', 'api-key', 'apikey', 'x-api-key', 'x-apikey'],
  ...['x-access-token', 'x-auth-token', 'x-authorization', 'x-amz-security-token', 'x-goog-api-key'],
  ...['x-csrf-token', 'x-xsrf-token', 'csrf-token', 'xsrf-token', 'x-user-id', 'x-user', 'remote-user'],
  // where it goes, and what it is
  ...[
    'host',
    'x-http-method',
    'x-http-method-override',
    'x-method-override',
    'x-original-url',
    'x-rewrite-url',
  ],
  // the connection
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'expect',
  ],
  // from where it came
  ...[
    'forwarded',
    'via',
    'x-real-ip',
    'x-client-ip',
    'x-cluster-client-ip',
    'true-client-ip',
    'cf-connecting-ip',
  ],
  ...['origin', 'referer', 'user-agent', 'from', 'dnt'],
  // traces and repeats
  ...['traceparent', 'tracestate', 'baggage', 'x-request-id', 'x-correlation-id', 'idempotency-key'],
  // answers that a model could not read
  ...['range', 'last-event-id', 'prefer'],
])

const families = [
  'content-',
  'accept',
  'x-forwarded-',
  'sec-',
  'proxy-',
  'mcp-',
  'if-',
  'access-control-',
  'x-b3-',
]

/** Whether a header is ours, the client's or the app's login's to set. */
export function isControlledHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return (
    names.has(lower) ||
    families.some((family) => lower.startsWith(family)) ||
    !/^[!#$%&'*+\-.^_`|~\w]+$/.test(lower)
  )
}
