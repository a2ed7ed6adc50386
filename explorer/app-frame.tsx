/** The page of an MCP App, in a frame with an opaque origin and no network (extension io.modelcontextprotocol/ui). */

import { useEffect, useRef, useState } from 'react'
import type { Params, Result } from '../src/internal.js'
import { isObject } from '../src/support/values.js'
import { type AppCallOptions, allowCall } from './app-call.js'
import type { Session } from './session.js'

/** Beside the script of this page. */
const frameUrl = new URL('frame.html', import.meta.url).href

interface AppFrameProps extends AppCallOptions {
  readonly session: Session
  readonly args: unknown
  readonly result: Result
}

export function AppFrame({ session, items, ask, uri, args, result }: AppFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const asking = useRef(false)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const reading = session.request('resources/read', { uri }).then(documentOf)
    reading.catch((error: Error) => setProblem(`Its page cannot be read: ${error.message}`))
    const post = (message: object): void => frame.current?.contentWindow?.postMessage(message, '*')
    const hear = (event: MessageEvent): void => {
      if (event.source !== frame.current?.contentWindow || !isObject(event.data)) return
      if (event.data.ready === true)
        reading.then(
          (html) => post({ document: html }),
          () => {},
        )
      else
        void answer(event.data, {
          session,
          items,
          ask,
          uri,
          args,
          result,
          asking,
          post,
          resize: (height) => resize(frame.current, height),
        })
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [session, items, ask, uri, args, result])
  return (
    <>
      <h4>App</h4>
      {problem !== '' && <p className="failure">{problem}</p>}
      <iframe ref={frame} className="app-frame" title={`App ${uri}`} sandbox="allow-scripts" src={frameUrl} />
    </>
  )
}

function documentOf({ contents }: Result): string {
  const [first] = Array.isArray(contents) ? contents : []
  if (!isObject(first)) throw new Error('it has no contents')
  if (typeof first.text === 'string') return first.text
  return new TextDecoder().decode(Uint8Array.from(atob(String(first.blob)), (letter) => letter.charCodeAt(0)))
}

interface Host extends AppFrameProps {
  /** True while a call of this app waits for the person. */
  readonly asking: { current: boolean }
  readonly post: (message: object) => void
  readonly resize: (height: number) => void
}

/** What the app says, as its host has to hear it. */
async function answer({ id, method, params }: Readonly<Record<string, unknown>>, host: Host): Promise<void> {
  const given = isObject(params) ? params : {}
  if (method === 'ui/notifications/initialized') {
    host.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: host.args } })
    host.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: host.result })
  } else if (method === 'ui/notifications/size-changed') host.resize(Number(given.height))
  if (id === undefined || typeof method !== 'string') return
  const handler = Object.hasOwn(requests, method) ? requests[method] : undefined
  const settled =
    handler?.(given, host) ?? Promise.reject(new Error(`the explorer does not answer ${method}`))
  await settled.then(
    (result) => host.post({ jsonrpc: '2.0', id, result }),
    (error: Error) => host.post({ jsonrpc: '2.0', id, error: { code: -32601, message: error.message } }),
  )
}

const requests: Readonly<Record<string, (params: Params, host: Host) => Promise<object>>> = {
  'ui/initialize': async ({ protocolVersion }) => ({
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : '2026-01-26',
    hostInfo: { name: 'mcp-router explorer', version: '1' },
    hostCapabilities: { serverTools: {}, serverResources: {} },
    hostContext: {
      theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
      displayMode: 'inline',
    },
  }),
  ping: async () => ({}),
  'tools/call': async (params, host) => {
    await allowCall(params, { ...host, ask: askAlone(host) })
    return host.session.request('tools/call', { name: params.name, arguments: params.arguments })
  },
  'resources/read': (params, { session }) => session.request('resources/read', { uri: params.uri }),
}

/** One question at a time: an app must not bury the person in dialogs. */
function askAlone({ asking, ask }: Host): Host['ask'] {
  return async (question) => {
    if (asking.current) throw new Error('another call of this app waits for the person')
    asking.current = true
    try {
      return await ask(question)
    } finally {
      asking.current = false
    }
  }
}

function resize(frame: HTMLIFrameElement | null, height: number): void {
  if (frame !== null && height > 0) frame.height = String(Math.min(height, 1_200))
}

/** The page that shows a tool's results. */
export function appOf({ _meta }: Readonly<Record<string, unknown>>): string | undefined {
  const meta = isObject(_meta) ? _meta : {}
  const uri = isObject(meta.ui) ? meta.ui.resourceUri : meta['ui/resourceUri']
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined
}
