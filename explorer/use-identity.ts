/** Who calls, and what the server still wants of them. */

import { useCallback, useEffect, useState } from 'react'
import { type Identity, nobody } from './identity.js'
import type { Challenge } from './oauth/challenge.js'

/** The identity is `undefined` until it is known. `returning`: somebody comes back from where they have signed in. */
export function useIdentity(returning: Promise<Identity> | undefined) {
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
