/** Buttons to sign in at the authorization servers that the server names. */

import { type FormEvent, useEffect, useState } from 'react'
import type { Challenge } from './challenge.js'
import { startSignIn } from './flow.js'
import { type ResourceMetadata, readResourceMetadata } from './metadata.js'

interface OAuthSignInProps {
  readonly challenge: Challenge | undefined
  /** The scopes that are already granted. */
  readonly granted: readonly string[]
}

export function OAuthSignIn({ challenge, granted }: OAuthSignInProps) {
  const [resourceMetadata, setResourceMetadata] = useState<ResourceMetadata>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let isStale = false
    readResourceMetadata(challenge).then(
      (found) => isStale || setResourceMetadata(found),
      (error: Error) => isStale || setProblem(error.message),
    )
    return () => {
      isStale = true
    }
  }, [challenge])
  return (
    <>
      {resourceMetadata !== undefined && (
        <Servers
          resourceMetadata={resourceMetadata}
          scopes={scopesFor(resourceMetadata, challenge, granted)}
          onProblem={setProblem}
        />
      )}
      {problem !== '' && (
        <p className="failure" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

/** Returns the scopes to request: the required ones and those already granted, since the new token replaces the old. */
function scopesFor(
  { scopes }: ResourceMetadata,
  challenge: Challenge | undefined,
  granted: readonly string[],
): string[] {
  const wanted = challenge !== undefined && challenge.scopes.length > 0 ? challenge.scopes : scopes
  return [...new Set([...granted, ...wanted])]
}

interface ServersProps {
  readonly resourceMetadata: ResourceMetadata
  readonly scopes: readonly string[]
  readonly onProblem: (problem: string) => void
}

function Servers({ resourceMetadata, scopes, onProblem }: ServersProps) {
  const [clientId, setClientId] = useState('')
  const [leaving, setLeaving] = useState('')
  const start = (issuer: string): void => {
    onProblem('')
    setLeaving(issuer)
    startSignIn({ resourceMetadata, issuer, clientId: clientId.trim(), scopes }).catch((error: Error) => {
      setLeaving('')
      onProblem(error.message)
    })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    start(resourceMetadata.servers[0] ?? '')
  }
  return (
    <form onSubmit={submit}>
      {resourceMetadata.servers.map((issuer) => (
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
          Requested scopes:{' '}
          {scopes.map((scope) => (
            <code key={scope}>{scope} </code>
          ))}
        </p>
      )}
    </form>
  )
}
