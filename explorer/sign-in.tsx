/** Who calls: the page's own cookies go with every request, and a token does where one is given. */

import { type FormEvent, useState } from 'react'

interface SignInProps {
  /** The server would not answer. */
  readonly wanted: boolean
  readonly token: string
  readonly onToken: (token: string) => void
}

export function SignIn({ wanted, token, onToken }: SignInProps) {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onToken(typed.trim().replace(/^bearer\s+/i, ''))
    setTyped('')
  }
  return (
    <details className="sign-in" open={wanted}>
      <summary>{token === '' ? 'Sign in' : 'Signed in with a token'}</summary>
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
        {token !== '' && (
          <button type="button" onClick={() => onToken('')}>
            Forget it
          </button>
        )}
        <p className="quiet">
          It is sent as <code>Authorization: Bearer …</code> and kept in this page until it is closed. Cookies
          of this site are sent in any case.
        </p>
      </form>
    </details>
  )
}
