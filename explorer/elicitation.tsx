/** The dialog of `elicitation/create`: a form, or a page to open (specification, Elicitation). */

import { isObject } from '../src/support/values.js'
import { InputForm } from './input-form.js'
import type { QuestionProps } from './questions.js'

export function Elicitation({ params: { message, url, requestedSchema }, answer }: QuestionProps) {
  const schema = isObject(requestedSchema) ? requestedSchema : { type: 'object' }
  return (
    <>
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
    </>
  )
}

/** Offers to open a page. Only http and https URLs become links, because the server chooses the URL. */
function Visit({ url, onAccept }: { url: string; onAccept: () => void }) {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url)
  return (
    <p>
      The server wants you to open <code>{url}</code>
      {isWeb ? (
        <a className="primary" href={url} target="_blank" rel="noopener noreferrer" onClick={onAccept}>
          Open {new URL(url).host}
        </a>
      ) : (
        <span className="problem"> which is not an http or https URL.</span>
      )}
    </p>
  )
}
