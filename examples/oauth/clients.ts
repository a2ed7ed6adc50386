/** One interface for both official clients. Each logs in as a user whenever the server requires it. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { ClientState } from './client-state.js'

interface OneClient {
  connect(): Promise<void>
  /** Exchanges the authorization code in the redirect URL for tokens. */
  finish(back: URL): Promise<void>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>
  readResource(of: { uri: string }): Promise<object>
  close(): Promise<void>
}

const info = { name: 'notes-check', version: '1.0.0' }

/** The clients by major version. */
export const makers: Record<'v1' | 'v2', (url: URL, authProvider: ClientState) => OneClient> = {
  v1(url, authProvider) {
    const client = new ClientV1(info)
    const transport = new TransportV1(url, { authProvider })
    return {
      connect: () => client.connect(transport as never), // the type of its `sessionId` isn't compatible with exactOptionalPropertyTypes
      finish: (back) => transport.finishAuth(codeIn(back)),
      callTool: (call) => client.callTool(call),
      readResource: (of) => client.readResource(of),
      close: () => client.close(),
    }
  },
  v2(url, authProvider) {
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } })
    const transport = new StreamableHTTPClientTransport(url, { authProvider })
    return {
      connect: () => client.connect(transport),
      finish: (back) => transport.finishAuth(back.searchParams),
      callTool: (call) => client.callTool(call),
      readResource: (of) => client.readResource(of),
      close: () => client.close(),
    }
  },
}

/** Opens the authorization URL of a client and returns to its redirect URI. */
export type LogIn = (address: URL) => Promise<URL>

export interface Session {
  /** How often the user had to log in. */
  logins(): number
  call(name: string, input?: Record<string, unknown>): Promise<string>
  read(uri: string): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export async function connect(make: () => OneClient, state: ClientState, logIn: LogIn): Promise<Session> {
  let client = make()
  let logins = 0

  async function withLogin<T>(run: () => Promise<T>, again = run): Promise<T> {
    try {
      return await run()
    } catch (error) {
      const { opened } = state
      if (opened === undefined) throw error
      state.opened = undefined
      logins += 1
      await client.finish(await logIn(opened))
      return again()
    }
  }

  await withLogin(
    () => client.connect(),
    () => {
      client = make()
      return client.connect()
    },
  )
  return {
    logins: () => logins,
    async call(name, input = {}) {
      const { content } = (await withLogin(() => client.callTool({ name, arguments: input }))) as {
        content: { text: string }[]
      }
      return content[0]?.text ?? ''
    },
    async read(uri) {
      const { contents } = (await withLogin(() => client.readResource({ uri }))) as {
        contents: { text: string }[]
      }
      return JSON.parse(contents[0]?.text ?? '')
    },
    close: () => client.close(),
  }
}

function codeIn({ searchParams }: URL): string {
  const code = searchParams.get('code')
  if (code === null)
    throw new Error(`The person came back with ${searchParams.get('error_description') ?? 'nothing'}`)
  return code
}
