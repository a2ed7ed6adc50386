/** What an MCP client keeps to log in: as both official clients want it, in memory. */

import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'

/** A client on this machine waits there for the person to come back. */
export const redirectUrl = 'http://127.0.0.1:33418/callback'

export const clientMetadata: OAuthClientMetadata = {
  client_name: 'Notes checker',
  application_type: 'native',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** A client with a web address describes itself there, and its address is its id: nothing to register. */
export const clientMetadataUrl = 'https://notes-checker.example.com/client.json'

export interface ClientOptions {
  clientMetadataUrl?: string
  redirectUrl?: string
  name?: string
}

export class ClientState {
  readonly redirectUrl: string
  readonly clientMetadata: OAuthClientMetadata
  readonly clientMetadataUrl?: string
  /** The address that the client would open in a browser. */
  opened: URL | undefined
  #client: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #codeVerifier = ''
  #discovery: OAuthDiscoveryState | undefined

  constructor(options: ClientOptions = {}) {
    const { name = 'Notes checker', redirectUrl: comeBack = redirectUrl } = options
    this.redirectUrl = comeBack
    this.clientMetadata = { ...clientMetadata, client_name: name, redirect_uris: [comeBack] }
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.opened = url
  }

  saveCodeVerifier(verifier: string): void {
    this.#codeVerifier = verifier
  }

  codeVerifier(): string {
    return this.#codeVerifier
  }

  /** The code goes to the server that the person was sent to, and to no other one. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }
}
