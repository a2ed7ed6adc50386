/** The outcome of a run: progress, log and result, and optionally the raw HTTP traffic next to it. */

import { useState } from 'react'
import { isObject } from '../src/support/values.js'
import { Blocks, Contents } from './content.js'
import { Exchanges } from './exchanges.js'
import { JsonTree } from './json-tree.js'
import type { Run } from './run.js'

export function Outcome({ run, onCancel }: { run: Run; onCancel: () => void }) {
  const [raw, setRaw] = useState(false)
  const isError = run.state === 'failed' || run.result?.isError === true
  return (
    <section className="outcome" aria-label="Result">
      <header>
        <h3>Result</h3>
        <output className={isError ? 'status bad' : 'status'}>{statusOf(run)}</output>
        {run.state === 'running' && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="button" aria-pressed={raw} onClick={() => setRaw(!raw)}>
          Raw request and answer
        </button>
      </header>
      <Progress run={run} />
      {run.log.length > 0 && (
        <ul className="log" aria-label="Log">
          {run.log.map(({ level, text }, index) => (
            <li key={index} className={`level-${level}`}>
              <span className="tag">{level}</span> {text}
            </li>
          ))}
        </ul>
      )}
      <div className={raw ? 'side-by-side' : ''}>
        <div>
          {run.error !== undefined && <Failure error={run.error} />}
          {run.result !== undefined && <ResultView result={run.result} />}
        </div>
        {raw && <Exchanges exchanges={run.exchanges} />}
      </div>
    </section>
  )
}

function statusOf({ state, result, took }: Run): string {
  const time = took === undefined ? '' : `, ${took < 10 ? took.toFixed(1) : Math.round(took)} ms`
  if (state === 'done') return (result?.isError === true ? 'Failed, as the model sees it' : 'Done') + time
  return { running: 'Running …', failed: 'Refused', cancelled: 'Cancelled' }[state] + time
}

function Progress({ run: { state, progress } }: { run: Run }) {
  if (progress === undefined) return null
  const { done, total, message } = progress
  return (
    <div className="progress">
      <progress
        aria-label="Progress"
        max={total}
        value={total === undefined && state === 'running' ? undefined : done}
      />{' '}
      <span>
        {done}
        {total !== undefined && ` of ${total}`} {message}
      </span>
    </div>
  )
}

function Failure({ error: { code, message, data } }: { error: NonNullable<Run['error']> }) {
  return (
    <div className="failure" role="alert">
      <p>
        {code !== undefined && <code>{code}</code>} {message}
      </p>
      {data !== undefined && <JsonTree value={data} />}
    </div>
  )
}

function ResultView({ result }: { result: Readonly<Record<string, unknown>> }) {
  const { content, structuredContent, contents, messages, isError } = result
  return (
    <div className={isError === true ? 'failure' : ''} role={isError === true ? 'alert' : undefined}>
      {structuredContent !== undefined && (
        <>
          <h4>Structured content</h4>
          <Blocks blocks={[{ type: 'text', text: JSON.stringify(structuredContent) }]} />
        </>
      )}
      {Array.isArray(content) && (
        <>
          {structuredContent !== undefined && <h4>Content</h4>}
          <Blocks blocks={content} />
        </>
      )}
      {Array.isArray(contents) &&
        contents.filter(isObject).map((item, index) => <Contents key={index} contents={item} />)}
      {Array.isArray(messages) &&
        messages.filter(isObject).map(({ role, content: block }, index) => (
          <div key={index} className="message">
            <span className="tag">{String(role)}</span>
            <Blocks blocks={[block]} />
          </div>
        ))}
    </div>
  )
}
