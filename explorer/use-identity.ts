/** The identity that calls are made with, and the latest challenge of the server. */

import { useCallback, useEffect, useState } from 'react'
import { anonymous, type Identity } from './identity.js'
import type { Challenge } from './oauth/challenge.js'

/** The identity is `undefined` until it is known. `returning`: the identity from a sign-in that led back to this page. */
export function useIdentity(returning: Promise<Identity> | undefined) {
  const [identity, setIdentity] = useState(returning === undefined ? anonymous : undefined)
  const [challenge, change] = useState<Challenge>()
  const [failure, setFailure] = useState('')
  useEffect(() => {
    returning?.then(setIdentity, (error: Error) => {
      setFailure(error.message)
      setIdentity(anonymous)
    })
  }, [returning])
  // Keeps the old object if nothing changed, because the activity view gets the same challenge every two seconds.
  const setChallenge = useCallback(
    (next: Challenge): void =>
      change((current) => (JSON.stringify(current) === JSON.stringify(next) ? current : next)),
    [],
  )
  const signIn = (next: Identity): void => {
    change(undefined)
    setFailure('')
    setIdentity(next)
  }
  return { identity, challenge, failure, signIn, setChallenge }
}
