/** `mcp-router/auth`: verifiers of access tokens, for the mount option `auth.verify`. */

export type { Principal, TokenUse, TokenVerifier } from '../../src/adapter.js'
export { type IntrospectionVerifierOptions, introspectionVerifier } from './introspection-verifier.js'
export { type JwtVerifierOptions, jwtVerifier } from './jwt-verifier.js'
