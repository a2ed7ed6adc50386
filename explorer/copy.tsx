/** A text with a button to copy it. */

import { useState } from 'react'
import { Pre } from './pre.js'

export function Copyable({ text, label }: { text: string; label: string }) {
  const [status, setStatus] = useState('')
  const copy = (): void => {
    // Only pages over https or from localhost have `navigator.clipboard`.
    const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('there is no clipboard'))
    copying.then(
      () => setStatus('Copied'),
      () => setStatus('Select the text to copy it'),
    )
  }
  return (
    <div className="copyable">
      <Pre>{text}</Pre>
      <button type="button" aria-label={`Copy ${label}`} onClick={copy}>
        Copy
      </button>{' '}
      <output className="quiet">{status}</output>
    </div>
  )
}
