/** What the explorer's page, and the pages of apps in it, may load and reach (Content Security Policy). */

/** `servers`: the issuers where people sign in. Nothing is sent but to them, and to the server that the page came from. */
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

/** For the page that says where the link is. */
export const lockedPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/**
 * For the pages of MCP Apps: an opaque origin and no network at all. No directive covers WebRTC, so explorer/frame.html
 * removes it; Trusted Types keep the app from getting it back.
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
