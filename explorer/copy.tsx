/** A text that is there to be copied. */

import { useState } from 'react'
import { Pre } from './pre.js'

export function Copyable({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState('')
  const copy = (): void => {
    // Pages that did not come over TLS or from this machine have no clipboard.
    const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('there is no clipboard'))
    copying.then(
      () => setSaid('Copied'),
      () => setSaid('Select it and copy'),
    )
  }
  return (
    <div className="copyable">
      <Pre>{text}</Pre>
      <button type="button" aria-label={`Copy ${label}`} onClick={copy}>
        Copy
      </button>{' '}
      <output className="quiet">{said}</output>
    </div>
  )
}
