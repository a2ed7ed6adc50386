/** What a running call asks of its user (specification, Elicitation), one dialog at a time. */

import { useEffect, useRef } from 'react'
import { isObject } from '../src/protocol/jsonrpc.js'
import { InputForm } from './input-form.js'

export interface Waiting {
  readonly id: number
  readonly params: Readonly<Record<string, unknown>>
  readonly answer: (answer: Answer) => void
}

export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
}

export function QuestionDialog({ question: { params, answer } }: { question: Waiting }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const { message, url, requestedSchema } = params
  const schema = isObject(requestedSchema) ? requestedSchema : { type: 'object' }
  return (
    <dialog
      ref={dialog}
      aria-label="The server asks"
      onCancel={(event) => {
        event.preventDefault()
        answer({ action: 'cancel' })
      }}
    >
      <h2>The server asks</h2>
      <p className="description">{String(message ?? '')}</p>
      {typeof url === 'string' ? (
        <Visit url={url} onAccept={() => answer({ action: 'accept' })} />
      ) : (
        <InputForm
          schema={schema}
          submit="Answer"
          onSubmit={(content) => answer({ action: 'accept', content })}
        />
      )}
      <div className="row">
        <button type="button" onClick={() => answer({ action: 'decline' })}>
          Decline
        </button>
        <button type="button" onClick={() => answer({ action: 'cancel' })}>
          Cancel
        </button>
      </div>
    </dialog>
  )
}

/** Only pages of the web are offered as links: the address is the server's word. */
function Visit({ url, onAccept }: { url: string; onAccept: () => void }) {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url)
  return (
    <p>
      It wants you to open <code>{url}</code>
      {isWeb ? (
        <a className="primary" href={url} target="_blank" rel="noopener noreferrer" onClick={onAccept}>
          Open {new URL(url).host}
        </a>
      ) : (
        <span className="problem"> which is no page of the web.</span>
      )}
    </p>
  )
}
