/** The view of recent calls. It reloads every two seconds while the page is visible. */

import { useEffect, useState } from 'react'
import { isObject } from '../src/support/values.js'
import type { Item } from './catalog.js'
import { Copyable } from './copy.js'
import { LatencyChart } from './latency-chart.js'
import { Outcome } from './outcome.js'
import { useRunner } from './run.js'
import { endpoint, type Session } from './session.js'
import { toCurl } from './shell.js'
import type { Exchange } from './traffic.js'

/** A recent call in the response of `<path>/activity`. */
export interface RecentCall {
  readonly id: number
  readonly method: string
  readonly name?: string
  readonly tool?: string
  readonly caller?: string
  readonly client?: string
  readonly startedAt: string
  readonly durationMs: number
  readonly outcome: string
  readonly inputBytes: number
  readonly outputBytes: number
  readonly params?: Readonly<Record<string, unknown>>
}

interface ActivityProps {
  readonly session: Session
  readonly items: readonly Item[]
  readonly isSignedIn: boolean
  readonly listen: (listener: (exchange: Exchange) => void) => () => void
}

/** How often the calls are reloaded. Milliseconds. */
const pollMs = 2_000

export function Activity({ session, items, isSignedIn, listen }: ActivityProps) {
  const { calls, everybody, problem, refresh, clear } = useActivity(session)
  const [typed, setTyped] = useState('')
  const [onlyFailed, setOnlyFailed] = useState(false)
  const [chosen, choose] = useState<RecentCall>()
  const runner = useRunner(session, listen)
  const shown = calls.filter((call) => {
    if (onlyFailed && !isFailure(call)) return false
    return `${nameOf(call)} ${call.caller ?? ''} ${call.client ?? ''} ${call.outcome}`
      .toLowerCase()
      .includes(typed.toLowerCase())
  })
  const replay = ({ method, params = {} }: RecentCall): void => {
    const schema = items.find(({ kind, key }) => kind === 'tool' && key === params.name)?.listed.inputSchema
    runner.start(method, { ...params }, isObject(schema) ? schema : undefined)
    setTimeout(refresh, 500)
  }
  return (
    <section className="page" aria-label="Activity">
      <h2>Activity</h2>
      <p className="quiet">
        {everybody ? 'The calls of all callers, the latest first.' : 'Your own calls, the latest first.'} Only
        recent calls are kept, in memory.
      </p>
      {problem !== '' && <p className="failure">{problem}</p>}
      <div className="row">
        <label>
          <span className="hidden">Filter calls</span>
          <input
            type="search"
            placeholder="Filter"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={onlyFailed}
            onChange={(event) => setOnlyFailed(event.target.checked)}
          />{' '}
          Failed only
        </label>
        <button type="button" onClick={clear}>
          Clear
        </button>
      </div>
      <LatencyChart calls={shown} failed={shown.filter(isFailure).length} />
      <Calls calls={shown} onReplay={replay} onChoose={choose} />
      {chosen?.params !== undefined && (
        <>
          <h3>{nameOf(chosen)} as curl</h3>
          <Copyable key={chosen.id} text={toCurl(chosen.method, chosen.params, isSignedIn)} label="as curl" />
        </>
      )}
      {runner.run !== undefined && <Outcome run={runner.run} onCancel={runner.cancel} />}
    </section>
  )
}

interface CallsProps {
  readonly calls: readonly RecentCall[]
  readonly onReplay: (call: RecentCall) => void
  readonly onChoose: (call: RecentCall) => void
}

function Calls({ calls, onReplay, onChoose }: CallsProps) {
  if (calls.length === 0) return <p className="quiet">Nothing was called yet.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard
    <section className="scroll" tabIndex={0} aria-label="Calls">
      <table>
        <thead>
          <tr>
            {['Time', 'Called', 'By', 'Took', 'Outcome', 'In', 'Out', 'Again'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <tr key={call.id}>
              <td>{new Date(call.startedAt).toLocaleTimeString()}</td>
              <td>
                <code>{nameOf(call)}</code>
              </td>
              <td>{[call.caller, call.client].filter(Boolean).join(', ')}</td>
              <td>{call.durationMs.toFixed(1)} ms</td>
              <td className={isFailure(call) ? 'failed' : ''}>{call.outcome}</td>
              <td>{call.inputBytes} B</td>
              <td>{call.outputBytes} B</td>
              <td>
                {call.params !== undefined && (
                  <>
                    <button
                      type="button"
                      aria-label={`Replay ${nameOf(call)}`}
                      onClick={() => onReplay(call)}
                    >
                      Replay
                    </button>{' '}
                    <button
                      type="button"
                      aria-label={`${nameOf(call)} as curl`}
                      onClick={() => onChoose(call)}
                    >
                      curl
                    </button>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function nameOf({ tool, name, method }: RecentCall): string {
  return tool ?? name ?? method
}

function isFailure({ outcome }: RecentCall): boolean {
  return outcome === 'error' || outcome === 'fault'
}

interface ActivityState {
  readonly calls: readonly RecentCall[]
  readonly everybody: boolean
  readonly problem: string
  refresh(): void
  clear(): void
}

function useActivity(session: Session): ActivityState {
  const [state, setState] = useState<Pick<ActivityState, 'calls' | 'everybody' | 'problem'>>({
    calls: [],
    everybody: false,
    problem: '',
  })
  const url = `${endpoint.replace(/\/$/, '')}/activity`
  const refresh = async (): Promise<void> => {
    try {
      const answer = await session.fetch(url)
      if (!answer.ok) throw new Error(`The server responded with status ${answer.status}`)
      setState({ ...(await answer.json()), problem: '' })
    } catch (error) {
      setState((previous) => ({ ...previous, problem: (error as Error).message }))
    }
  }
  useEffect(() => {
    void refresh()
    const timer = setInterval(() => document.hidden || void refresh(), pollMs)
    return () => clearInterval(timer)
  }, [session])
  const clear = (): void => void session.fetch(url, { method: 'DELETE' }).then(refresh, refresh)
  return { ...state, refresh: () => void refresh(), clear }
}
