/** The page's connection to its server. It reconnects when the era, the identity or the roots change. */

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

export interface ConnectionOptions {
  readonly era: Era
  /** `undefined` while it isn't known yet. */
  readonly identity: Identity | undefined
  readonly roots: readonly string[]
  readonly ask: Ask
  readonly onChallenge: (challenge: Challenge) => void
}

export interface Connection {
  readonly connected: Connected | undefined
  /** Why connecting failed; empty while connecting and once connected. */
  readonly problem: string
  /** Calls the listener with all HTTP traffic until the returned function is called. */
  listen(listener: (exchange: Exchange) => void): () => void
}

export function useConnection({ era, identity, roots, ask, onChallenge }: ConnectionOptions): Connection {
  const [connected, setConnected] = useState<Connected>()
  const [problem, setProblem] = useState('')
  const listeners = useRef(new Set<(exchange: Exchange) => void>())
  const listen = useCallback((listener: (exchange: Exchange) => void) => {
    listeners.current.add(listener)
    return () => void listeners.current.delete(listener)
  }, [])
  useEffect(() => {
    if (identity === undefined) return
    let isStale = false
    const onExchange = (exchange: Exchange): void => {
      for (const listener of listeners.current) listener(exchange)
    }
    const connect = async (): Promise<void> => {
      const session = await Session.open({ era, identity, roots, onChallenge, onExchange, ask })
      const items = await readCatalog(session)
      if (isStale) return
      setConnected({ session, items })
      setProblem('')
    }
    connect().catch((error: Error) => {
      if (isStale) return
      setConnected(undefined)
      setProblem(problemOf(error))
    })
    return () => {
      isStale = true
    }
  }, [era, identity, roots, ask, onChallenge])
  return { connected, problem, listen }
}
