/** The view with settings for common clients to connect to this server. */

import { useState } from 'react'
import { Choices } from './choices.js'
import { Copyable } from './copy.js'
import { endpoint } from './session.js'
import { shellQuote } from './shell.js'

interface Settings {
  readonly client: string
  /** Where to put the settings. */
  readonly place: string
  readonly text: (server: { readonly name: string; readonly url: string }) => string
}

const json = (value: object): string => JSON.stringify(value, null, 2)

/** mcp-remote refuses plain HTTP, except to localhost and 127.0.0.1, unless it gets this flag. */
const httpFlag = (url: string): string[] =>
  /^https:|^http:\/\/(localhost|127\.0\.0\.1)(:|\/)/.test(url) ? [] : ['--allow-http']

const clients = {
  claudeCode: {
    client: 'Claude Code',
    place: 'In a terminal',
    text: ({ name, url }) => `claude mcp add --transport http ${name} ${shellQuote(url)}`,
  },
  claudeDesktop: {
    client: 'Claude Desktop',
    place:
      'A public https URL: Settings, Connectors, Add custom connector. A server on your machine: claude_desktop_config.json (Settings, Developer, Edit Config)',
    text: ({ name, url }) =>
      json({ mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url, ...httpFlag(url)] } } }),
  },
  cursor: {
    client: 'Cursor',
    place: '~/.cursor/mcp.json, or .cursor/mcp.json of a project',
    text: ({ name, url }) => json({ mcpServers: { [name]: { url } } }),
  },
  vscode: {
    client: 'VS Code',
    place: '.vscode/mcp.json of a project, or the command "MCP: Add Server"',
    text: ({ name, url }) => json({ servers: { [name]: { type: 'http', url } } }),
  },
  chatgpt: {
    client: 'ChatGPT',
    place:
      'Settings, Connectors, with developer mode on: Create, with this MCP server URL. The URL must be public and https',
    text: ({ url }) => url,
  },
  windsurf: {
    client: 'Windsurf',
    place: '~/.codeium/windsurf/mcp_config.json',
    text: ({ name, url }) => json({ mcpServers: { [name]: { serverUrl: url } } }),
  },
  zed: {
    client: 'Zed',
    place: 'settings.json of Zed',
    text: ({ name, url }) => json({ context_servers: { [name]: { url } } }),
  },
} as const satisfies Record<string, Settings>

type Client = keyof typeof clients

const names = Object.fromEntries(Object.entries(clients).map(([key, { client }]) => [key, client])) as Record<
  Client,
  string
>

export function Connect({ serverName }: { serverName: string }) {
  const [chosen, choose] = useState<Client>('claudeCode')
  const { client, place, text }: Settings = clients[chosen]
  const name = serverName.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'mcp'
  return (
    <section className="page" aria-label="Connect a client">
      <h2>Connect a client</h2>
      <Choices label="Client" names={names} chosen={chosen} onChoose={choose} />
      <h3>{client}</h3>
      <p className="quiet">{place}</p>
      <Copyable key={chosen} text={text({ name, url: endpoint })} label={`settings for ${client}`} />
      <p className="quiet">
        If the server requires a token but does not say where to get one, add the header{' '}
        <code>Authorization</code> to the client's settings.
      </p>
    </section>
  )
}
