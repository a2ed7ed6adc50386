/** Shows the page of an MCP App in a frame with an opaque origin and no network (extension io.modelcontextprotocol/ui). */

import { useEffect, useRef, useState } from 'react'
import type { Params, Result } from '../src/internal.js'
import { isObject } from '../src/support/values.js'
import { type AppCallOptions, allowCall } from './app-call.js'
import type { Session } from './session.js'

/** frame.html is next to the script of this page. */
const frameUrl = new URL('frame.html', import.meta.url).href

interface AppFrameProps extends AppCallOptions {
  readonly session: Session
  readonly args: unknown
  readonly result: Result
}

export function AppFrame({ session, items, ask, uri, args, result }: AppFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const isAsking = useRef(false)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const reading = session.request('resources/read', { uri }).then(documentOf)
    reading.catch((error: Error) => setProblem(`The page of the app cannot be read: ${error.message}`))
    const post = (message: object): void => frame.current?.contentWindow?.postMessage(message, '*')
    const onMessage = (event: MessageEvent): void => {
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
          isAsking,
          post,
          resize: (height) => resize(frame.current, height),
        })
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
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
  if (!isObject(first)) throw new Error('the resource has no contents')
  if (typeof first.text === 'string') return first.text
  return new TextDecoder().decode(Uint8Array.from(atob(String(first.blob)), (letter) => letter.charCodeAt(0)))
}

interface Host extends AppFrameProps {
  /** True while a call of this app waits for the user's permission. */
  readonly isAsking: { current: boolean }
  readonly post: (message: object) => void
  readonly resize: (height: number) => void
}

/** Handles a message of the app, as the host of an MCP App must. */
async function answer({ id, method, params }: Readonly<Record<string, unknown>>, host: Host): Promise<void> {
  const args = isObject(params) ? params : {}
  if (method === 'ui/notifications/initialized') {
    host.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: host.args } })
    host.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: host.result })
  } else if (method === 'ui/notifications/size-changed') host.resize(Number(args.height))
  if (id === undefined || typeof method !== 'string') return
  const handler = Object.hasOwn(requests, method) ? requests[method] : undefined
  const settled =
    handler?.(args, host) ?? Promise.reject(new Error(`the explorer does not support ${method}`))
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
    await allowCall(params, { ...host, ask: askOnce(host) })
    return host.session.request('tools/call', { name: params.name, arguments: params.arguments })
  },
  'resources/read': (params, { session }) => session.request('resources/read', { uri: params.uri }),
}

/** Shows one dialog at a time, so that an app can't flood the user with dialogs. */
function askOnce({ isAsking, ask }: Host): Host['ask'] {
  return async (question) => {
    if (isAsking.current) throw new Error('another call of this app is waiting for the user')
    isAsking.current = true
    try {
      return await ask(question)
    } finally {
      isAsking.current = false
    }
  }
}

function resize(frame: HTMLIFrameElement | null, height: number): void {
  if (frame !== null && height > 0) frame.height = String(Math.min(height, 1_200))
}

/** Returns the URI of the page that shows a tool's results, if it has one. */
export function appOf({ _meta }: Readonly<Record<string, unknown>>): string | undefined {
  const meta = isObject(_meta) ? _meta : {}
  const uri = isObject(meta.ui) ? meta.ui.resourceUri : meta['ui/resourceUri']
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined
}
