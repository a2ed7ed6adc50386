/** The page's connection to its server: made anew for another era, another caller, other roots. */

import { useCallback, useEffect, useRef, useState } from 'react'
import { type Item, readCatalog } from './catalog.js'
import type { Identity } from './identity.js'
import type { Challenge } from './oauth/challenge.js'
import { problemOf } from './problem.js'
import type { Ask } from './questions.js'
import { type Era, Session } from './session.js'
import type { Exchange } from './traffic.js'

export interface Connected {
  readonly session: Session
  readonly items: readonly Item[]
}

export interface Wanted {
  readonly era: Era
  /** `undefined`: not known yet. */
  readonly identity: Identity | undefined
  readonly roots: readonly string[]
  readonly ask: Ask
  readonly onChallenge: (challenge: Challenge) => void
}

export interface Connection {
  readonly connected: Connected | undefined
  /** Why there is none; empty: it is on its way, or there. */
  readonly problem: string
  /** Hears of everything that travels, until what it returns is called. */
  listen(hear: (exchange: Exchange) => void): () => void
}

export function useConnection({ era, identity, roots, ask, onChallenge }: Wanted): Connection {
  const [connected, setConnected] = useState<Connected>()
  const [problem, setProblem] = useState('')
  const listeners = useRef(new Set<(exchange: Exchange) => void>())
  const listen = useCallback((hear: (exchange: Exchange) => void) => {
    listeners.current.add(hear)
    return () => void listeners.current.delete(hear)
  }, [])
  useEffect(() => {
    if (identity === undefined) return
    let late = false
    const onExchange = (exchange: Exchange): void => {
      for (const hear of listeners.current) hear(exchange)
    }
    const connect = async (): Promise<void> => {
      const session = await Session.open({ era, identity, roots, onChallenge, onExchange, ask })
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
  }, [era, identity, roots, ask, onChallenge])
  return { connected, problem, listen }
}
