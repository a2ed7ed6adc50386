/** Away to where people sign in for this server, when it names somebody. */

import { type FormEvent, useEffect, useState } from 'react'
import type { Challenge } from './challenge.js'
import { leave } from './flow.js'
import { type Offer, readOffer } from './metadata.js'

interface OAuthSignInProps {
  readonly challenge: Challenge | undefined
  /** What is allowed already. */
  readonly known: readonly string[]
}

export function OAuthSignIn({ challenge, known }: OAuthSignInProps) {
  const [offer, setOffer] = useState<Offer>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let late = false
    readOffer(challenge).then(
      (found) => late || setOffer(found),
      (error: Error) => late || setProblem(error.message),
    )
    return () => {
      late = true
    }
  }, [challenge])
  return (
    <>
      {offer !== undefined && (
        <Servers offer={offer} scopes={scopesFor(offer, challenge, known)} onProblem={setProblem} />
      )}
      {problem !== '' && (
        <p className="failure" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

/** What was asked for, beside what is held: the next token replaces this one. */
function scopesFor({ scopes }: Offer, challenge: Challenge | undefined, known: readonly string[]): string[] {
  const wanted = challenge !== undefined && challenge.scopes.length > 0 ? challenge.scopes : scopes
  return [...new Set([...known, ...wanted])]
}

interface ServersProps {
  readonly offer: Offer
  readonly scopes: readonly string[]
  readonly onProblem: (problem: string) => void
}

function Servers({ offer, scopes, onProblem }: ServersProps) {
  const [clientId, setClientId] = useState('')
  const [leaving, setLeaving] = useState('')
  const start = (issuer: string): void => {
    onProblem('')
    setLeaving(issuer)
    leave({ offer, issuer, clientId: clientId.trim(), scopes }).catch((error: Error) => {
      setLeaving('')
      onProblem(error.message)
    })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    start(offer.servers[0] ?? '')
  }
  return (
    <form onSubmit={submit}>
      {offer.servers.map((issuer) => (
        <button
          key={issuer}
          type="button"
          className="primary"
          disabled={leaving !== ''}
          onClick={() => start(issuer)}
        >
          Sign in at {new URL(issuer).host}
        </button>
      ))}
      <label>
        Client id, if you were given one
        <input autoComplete="off" value={clientId} onChange={(event) => setClientId(event.target.value)} />
      </label>
      {scopes.length > 0 && (
        <p className="quiet">
          It is asked to allow{' '}
          {scopes.map((scope) => (
            <code key={scope}>{scope} </code>
          ))}
        </p>
      )}
    </form>
  )
}
