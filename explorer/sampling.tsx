/** The dialog of `sampling/createMessage`: the user answers in place of a model (specification, Sampling). */

import { type FormEvent, useState } from 'react'
import { McpError } from '../src/internal.js'
import { isObject } from '../src/support/values.js'
import { Blocks } from './content.js'
import { JsonTree } from './json-tree.js'
import type { QuestionProps } from './questions.js'

export function Sampling({ params, answer, refuse }: QuestionProps) {
  const { messages, systemPrompt, ...otherParams } = params
  const [text, setText] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const content = { type: 'text', text }
    answer({ role: 'assistant', content, model: 'a person with the explorer', stopReason: 'endTurn' })
  }
  return (
    <form onSubmit={submit}>
      <p className="quiet">The server wants a model to answer these messages. Write the answer yourself.</p>
      {typeof systemPrompt === 'string' && <p className="description">{systemPrompt}</p>}
      {(Array.isArray(messages) ? messages : []).filter(isObject).map(({ role, content }, index) => (
        <div key={index} className="message">
          <span className="tag">{String(role)}</span>
          <Blocks blocks={Array.isArray(content) ? content : [content]} />
        </div>
      ))}
      <details>
        <summary>Other parameters</summary>
        <JsonTree value={otherParams} />
      </details>
      <label>
        The model's answer
        <textarea rows={6} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <div className="row">
        <button type="submit" className="primary">
          Answer
        </button>
        <button type="button" onClick={() => refuse(rejected())}>
          Decline
        </button>
      </div>
    </form>
  )
}

/** Creates the error for a user who declines (specification, Sampling). */
export function rejected(): Error {
  return new McpError(-1, 'The person declined to answer')
}
