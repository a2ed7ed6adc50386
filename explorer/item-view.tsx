/** The view of one tool, resource, template or prompt: its description, and a form to try it. */

import { useState } from 'react'
import { isObject } from '../src/support/values.js'
import { AppFrame, appOf } from './app-frame.js'
import { type Argument, ArgumentsForm } from './arguments-form.js'
import { hint, type Item } from './catalog.js'
import { InputForm } from './input-form.js'
import { JsonTree } from './json-tree.js'
import { Outcome } from './outcome.js'
import type { Ask } from './questions.js'
import { type Runner, useRunner } from './run.js'
import type { Session } from './session.js'
import type { Exchange } from './traffic.js'
import { expand, variablesOf } from './uri-template.js'

interface ItemViewProps {
  readonly item: Item
  readonly items: readonly Item[]
  readonly ask: Ask
  readonly session: Session
  readonly listen: (listener: (exchange: Exchange) => void) => () => void
}

export function ItemView({ item, items, ask, session, listen }: ItemViewProps) {
  const runner = useRunner(session, listen)
  const { title, key, kind, description, listed } = item
  const app = kind === 'tool' ? appOf(listed) : undefined
  const schemas = (['inputSchema', 'outputSchema'] as const).filter((name) => isObject(listed[name]))
  return (
    <article className="item" aria-label={key}>
      <header>
        <span className="tag">{kind}</span>
        <h2>{key}</h2>
        {item.route !== undefined && <code>{item.route}</code>}
        {hint(item, 'readOnlyHint') && <span className="tag good">read-only</span>}
        {hint(item, 'destructiveHint') && <span className="tag bad">destructive</span>}
      </header>
      {title !== '' && title !== key && <p className="title">{title}</p>}
      {description === '' ? (
        <p className="quiet">It has no description.</p>
      ) : (
        <p className="description">{description}</p>
      )}
      <Try item={item} session={session} runner={runner} />
      {runner.run !== undefined && <Outcome run={runner.run} onCancel={runner.cancel} />}
      {app !== undefined && runner.run?.state === 'done' && runner.run.result !== undefined && (
        <AppFrame
          session={session}
          items={items}
          ask={ask}
          uri={app}
          args={runner.run.params.arguments}
          result={runner.run.result}
        />
      )}
      {schemas.map((name) => (
        <details key={name}>
          <summary>{name === 'inputSchema' ? 'Input schema' : 'Output schema'}</summary>
          <JsonTree value={listed[name]} />
        </details>
      ))}
      <details>
        <summary>List entry</summary>
        <JsonTree value={listed} />
      </details>
    </article>
  )
}

interface TryProps {
  readonly item: Item
  readonly session: Session
  readonly runner: Runner
}

function Try({ item: { kind, key, listed }, session, runner }: TryProps) {
  const busy = runner.run?.state === 'running'
  const [uri] = useState(key)
  if (kind === 'tool') {
    const schema = isObject(listed.inputSchema) ? listed.inputSchema : { type: 'object' }
    return (
      <InputForm
        schema={schema}
        submit="Call"
        busy={busy}
        onSubmit={(args) => runner.start('tools/call', { name: key, arguments: args }, schema)}
      />
    )
  }
  if (kind === 'resource') {
    return (
      <button
        type="button"
        className="primary"
        disabled={busy}
        onClick={() => runner.start('resources/read', { uri })}
      >
        Read
      </button>
    )
  }
  if (kind === 'template') {
    return (
      <ArgumentsForm
        session={session}
        reference={{ type: 'ref/resource', uri: key }}
        args={variablesOf(key)}
        submit="Read"
        busy={busy}
        onSubmit={(values) => runner.start('resources/read', { uri: expand(key, values) })}
      />
    )
  }
  return (
    <ArgumentsForm
      session={session}
      reference={{ type: 'ref/prompt', name: key }}
      args={argumentsOf(listed.arguments)}
      submit="Get"
      busy={busy}
      onSubmit={(values) => runner.start('prompts/get', { name: key, arguments: values })}
    />
  )
}

function argumentsOf(declared: unknown): Argument[] {
  return (Array.isArray(declared) ? declared : [])
    .filter(isObject)
    .map(({ name, description, required }) => ({
      name: String(name),
      description: typeof description === 'string' ? description : '',
      required: required === true,
    }))
}
