/** The page: who serves, what there is, and the one that was chosen. */

import { useCallback, useEffect, useRef, useState } from 'react'
import { isObject } from '../src/protocol/jsonrpc.js'
import { Activity } from './activity.js'
import { type Item, readCatalog } from './catalog.js'
import { Choices } from './choices.js'
import { Connect } from './connect.js'
import { type Identity, nobody } from './identity.js'
import { ItemList } from './item-list.js'
import { ItemView } from './item-view.js'
import type { Challenge } from './oauth/challenge.js'
import { problemOf } from './problem.js'
import { QuestionDialog, type Waiting } from './questions.js'
import { type Era, Session } from './session.js'
import { SignIn } from './sign-in.js'
import type { Exchange } from './traffic.js'

interface Connected {
  readonly session: Session
  readonly items: readonly Item[]
}

/** `returning`: somebody comes back from where they have signed in. */
export function App({ returning }: { returning: Promise<Identity> | undefined }) {
  const [era, setEra] = useState<Era>('modern')
  const { identity, challenge, failure, signIn, setChallenge } = useIdentity(returning)
  const [connected, setConnected] = useState<Connected>()
  const [problem, setProblem] = useState('')
  const [view, setView] = useState<View>('explore')
  const [chosen, choose] = useChosen()
  const [questions, setQuestions] = useState<readonly Waiting[]>([])
  const listeners = useRef(new Set<(exchange: Exchange) => void>())
  const listen = useCallback((hear: (exchange: Exchange) => void) => {
    listeners.current.add(hear)
    return () => void listeners.current.delete(hear)
  }, [])

  useEffect(() => {
    if (identity === undefined) return
    let late = false
    const ask = ({
      method,
      params = {},
    }: {
      method: string
      params?: object | undefined
    }): Promise<object> => {
      if (method !== 'elicitation/create')
        return Promise.reject(new Error(`the explorer does not answer ${method}`))
      return new Promise((resolve) => {
        const id = Math.random()
        const answer: Waiting['answer'] = (given) => {
          setQuestions((all) => all.filter((one) => one.id !== id))
          resolve(given)
        }
        setQuestions((all) => [...all, { id, params: params as Waiting['params'], answer }])
      })
    }
    const onExchange = (exchange: Exchange): void => {
      for (const hear of listeners.current) hear(exchange)
    }
    const connect = async (): Promise<void> => {
      const session = await Session.open({ era, identity, onChallenge: setChallenge, onExchange, ask })
      const items = await readCatalog(session)
      if (late) return
      setConnected({ session, items })
      setProblem('')
    }
    connect().catch((error: Error) => {
      if (late) return
      setConnected(undefined)
      setProblem(problemOf(error))
    })
    return () => {
      late = true
    }
  }, [era, identity, setChallenge])

  const item = connected?.items.find(({ id }) => id === chosen)
  const [question] = questions
  return (
    <>
      <Header connected={connected} era={era} onEra={setEra} view={view} onView={setView} />
      {[failure, problem]
        .filter((one) => one !== '')
        .map((one) => (
          <p key={one} className="failure" role="alert">
            {one}
          </p>
        ))}
      <SignIn
        wanted={problem !== '' || failure !== '' || challenge !== undefined}
        challenge={challenge}
        identity={identity ?? nobody}
        onIdentity={signIn}
      />
      {connected === undefined && (
        <main className="quiet">
          {problem === '' ? 'Asking the server what it offers …' : 'Nothing to show yet.'}
        </main>
      )}
      {connected !== undefined && view === 'activity' && (
        <main>
          <Activity
            session={connected.session}
            items={connected.items}
            isSignedIn={identity !== nobody}
            listen={listen}
          />
        </main>
      )}
      {connected !== undefined && view === 'connect' && (
        <main>
          <Connect serverName={nameOf(connected)} />
        </main>
      )}
      {connected !== undefined && view === 'explore' && (
        <div className="columns">
          <ItemList items={connected.items} chosen={chosen} onChoose={choose} />
          <main>
            {item === undefined ? (
              <p className="quiet">Choose what to read about, and to try.</p>
            ) : (
              <ItemView
                key={`${item.id} ${connected.session.version}`}
                item={item}
                session={connected.session}
                listen={listen}
              />
            )}
          </main>
        </div>
      )}
      {question !== undefined && <QuestionDialog key={question.id} question={question} />}
    </>
  )
}

/** Who calls; `undefined` until it is known. */
function useIdentity(returning: Promise<Identity> | undefined) {
  const [identity, setIdentity] = useState(returning === undefined ? nobody : undefined)
  const [challenge, change] = useState<Challenge>()
  const [failure, setFailure] = useState('')
  useEffect(() => {
    returning?.then(setIdentity, (error: Error) => {
      setFailure(error.message)
      setIdentity(nobody)
    })
  }, [returning])
  // The recent calls ask every other second.
  const setChallenge = useCallback(
    (next: Challenge): void =>
      change((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next)),
    [],
  )
  const signIn = (next: Identity): void => {
    change(undefined)
    setFailure('')
    setIdentity(next)
  }
  return { identity, challenge, failure, signIn, setChallenge }
}

/** It stands in the address, so that it can be linked to. */
function useChosen(): [string | undefined, (id: string) => void] {
  const read = (): string | undefined => decode(location.hash.slice(1)) || undefined
  const [chosen, setChosen] = useState(read)
  useEffect(() => {
    const changed = (): void => setChosen(read())
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  })
  return [
    chosen,
    (id) => {
      // No navigation: that would move the focus.
      history.pushState(undefined, '', `#${encodeURIComponent(id)}`)
      setChosen(id)
    },
  ]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

type View = 'explore' | 'activity' | 'connect'

const views: Readonly<Record<View, string>> = { explore: 'Explore', activity: 'Activity', connect: 'Connect' }

interface HeaderProps {
  readonly connected: Connected | undefined
  readonly era: Era
  readonly onEra: (era: Era) => void
  readonly view: View
  readonly onView: (view: View) => void
}

function Header({ connected, era, onEra, view, onView }: HeaderProps) {
  const { instructions } = connected?.session.server ?? {}
  const name = connected === undefined ? 'MCP explorer' : nameOf(connected)
  const { version } = connected === undefined ? {} : infoOf(connected)
  useEffect(() => {
    document.title = `${name} · MCP explorer`
  }, [name])
  return (
    <header className="top">
      <h1>{name}</h1>
      {typeof version === 'string' && <span className="quiet">{version}</span>}
      <Choices label="View" names={views} chosen={view} onChoose={onView} />
      <label>
        Protocol{' '}
        <select value={era} onChange={(event) => onEra(event.target.value as Era)}>
          <option value="modern">2026-07-28</option>
          <option value="legacy">2025-11-25</option>
        </select>
      </label>
      {connected !== undefined && <span className="quiet">speaks {connected.session.version}</span>}
      {typeof instructions === 'string' && <p className="description">{instructions}</p>}
    </header>
  )
}

/** What the server says it is, in either era. */
function infoOf({ session: { server } }: Connected): Readonly<Record<string, unknown>> {
  const told = isObject(server._meta) ? server._meta['io.modelcontextprotocol/serverInfo'] : undefined
  return [server.serverInfo, told].find(isObject) ?? {}
}

function nameOf(connected: Connected): string {
  const { title, name } = infoOf(connected)
  return String(title ?? name ?? 'MCP explorer')
}
