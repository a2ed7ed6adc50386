/** The sign-in panel: OAuth, or a pasted token. Cookies are sent with every request in any case. */

import { type FormEvent, useState } from 'react'
import { anonymous, type Identity, withToken } from './identity.js'
import type { Challenge } from './oauth/challenge.js'
import { OAuthSignIn } from './oauth/sign-in.js'

interface SignInProps {
  /** Whether to open the panel, because a request failed or was challenged. */
  readonly wanted: boolean
  readonly challenge: Challenge | undefined
  readonly identity: Identity
  readonly onIdentity: (identity: Identity) => void
}

export function SignIn({ wanted, challenge, identity, onIdentity }: SignInProps) {
  const [isOpen, setOpen] = useState(wanted)
  return (
    <section aria-label="Sign in">
      <details className="sign-in" open={wanted} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{identity.name === '' ? 'Sign in' : `Signed in ${identity.name}`}</summary>
        {isOpen && <OAuthSignIn challenge={challenge} granted={identity.scopes} />}
        <TokenForm onToken={(token) => onIdentity(token === '' ? anonymous : withToken(token))} />
        {identity.name !== '' && (
          <button type="button" onClick={() => onIdentity(anonymous)}>
            Forget it
          </button>
        )}
        <p className="quiet">
          A token is sent as <code>Authorization: Bearer …</code> and kept until this page is closed. Cookies
          of this site are sent in any case.
        </p>
      </details>
    </section>
  )
}

function TokenForm({ onToken }: { onToken: (token: string) => void }) {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onToken(typed.trim().replace(/^bearer\s+/i, ''))
    setTyped('')
  }
  return (
    <form onSubmit={submit}>
      <label>
        Access token
        <input
          type="password"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <button type="submit">Use it</button>
    </form>
  )
}
