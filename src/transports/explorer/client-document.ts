/**
 * The explorer's page as a client of authorization servers: what it registers with, and a Client ID Metadata Document,
 * whose address is the id of the client (draft-ietf-oauth-client-id-metadata-document).
 */

import { isLoopbackName } from '../http/origins.js'

export const clientFile = 'client.json'

/** `endpoint`: where the page is, and where people come back to. */
export function clientDocument(endpoint: string, serverName: string): object {
  const { host } = new URL(endpoint)
  return {
    client_id: `${endpoint.replace(/\/$/, '')}/explorer/${clientFile}`,
    client_name: `Explorer of ${serverName}`,
    application_type: isLoopbackName(host) ? 'native' : 'web',
    redirect_uris: [endpoint],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}
