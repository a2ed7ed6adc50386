/** The settings of roots, which the page returns for `roots/list` (specification, Roots). */

import { type FormEvent, useState } from 'react'

interface RootsProps {
  readonly roots: readonly string[]
  readonly onRoots: (roots: readonly string[]) => void
}

export function Roots({ roots, onRoots }: RootsProps) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const uris = typed.split(/\s+/).filter(Boolean)
    const wrong = uris.find((uri) => !uri.startsWith('file:///') || !URL.canParse(uri))
    setProblem(wrong === undefined ? '' : `Expected URIs such as file:///home/ana/project, got ${wrong}`)
    if (wrong === undefined) onRoots(uris)
  }
  return (
    <details className="roots">
      <summary>{roots.length === 0 ? 'Roots' : `Roots: ${roots.length}`}</summary>
      <form onSubmit={submit}>
        <label>
          URIs of folders, one per line
          <textarea
            rows={3}
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        {problem !== '' && <p className="problem">{problem}</p>}
        <button type="submit">Use these</button>
        <p className="quiet">
          Tools can request these roots. Without any, the page does not declare the roots capability.
        </p>
      </form>
    </details>
  )
}
