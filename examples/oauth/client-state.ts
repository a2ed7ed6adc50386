/** The state of an MCP client for its login, in memory, in the form that both official clients expect. */

import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'

/** The redirect URI of a client on this machine. */
export const redirectUrl = 'http://127.0.0.1:33418/callback'

export const clientMetadata: OAuthClientMetadata = {
  client_name: 'Notes checker',
  application_type: 'native',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** The URL of a client metadata document. It is the client id, so the client needs no registration. */
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
  /** The URL that the client would open in a browser. */
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

  /** Checks that the code is sent to the authorization server that issued it. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }
}
