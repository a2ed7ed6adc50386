/** The form for the arguments of prompts and templates, with completions from the server. */

import { type FormEvent, useEffect, useId, useState } from 'react'
import { isObject } from '../src/support/values.js'
import type { Session } from './session.js'

export interface Argument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

interface ArgumentsFormProps {
  readonly session: Session
  /** The `ref` of `completion/complete`. */
  readonly reference: Readonly<Record<string, string>>
  readonly args: readonly Argument[]
  readonly initial?: Readonly<Record<string, string>>
  readonly submit: string
  readonly busy: boolean
  readonly onSubmit: (values: Record<string, string>) => void
}

export function ArgumentsForm({
  session,
  reference,
  args,
  initial = {},
  submit,
  busy,
  onSubmit,
}: ArgumentsFormProps) {
  const [values, setValues] = useState<Record<string, string>>({ ...initial })
  const [submitted, setSubmitted] = useState(false)
  const missing = (argument: Argument): boolean => argument.required && (values[argument.name] ?? '') === ''
  const send = (event: FormEvent): void => {
    event.preventDefault()
    setSubmitted(true)
    if (!args.some(missing))
      onSubmit(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')))
  }
  return (
    <form className="input" noValidate onSubmit={send}>
      {args.map((argument) => (
        <ArgumentField
          key={argument.name}
          argument={argument}
          value={values[argument.name] ?? ''}
          problem={submitted && missing(argument) ? 'is required' : ''}
          complete={(typed) => complete(session, reference, { name: argument.name, typed, values })}
          onChange={(value) => setValues({ ...values, [argument.name]: value })}
        />
      ))}
      {args.length === 0 && <p className="quiet">It has no arguments.</p>}
      <button type="submit" className="primary" disabled={busy}>
        {submit}
      </button>
    </form>
  )
}

interface CompletionInput {
  readonly name: string
  readonly typed: string
  readonly values: Readonly<Record<string, string>>
}

async function complete(
  session: Session,
  ref: object,
  { name, typed, values }: CompletionInput,
): Promise<string[]> {
  const others = Object.fromEntries(
    Object.entries(values).filter(([key, value]) => key !== name && value !== ''),
  )
  const { completion } = await session.request('completion/complete', {
    ref,
    argument: { name, value: typed },
    context: { arguments: others },
  })
  const found = isObject(completion) ? completion.values : []
  return Array.isArray(found) ? found.map(String) : []
}

interface ArgumentFieldProps {
  readonly argument: Argument
  readonly value: string
  readonly problem: string
  readonly complete: (typed: string) => Promise<string[]>
  readonly onChange: (value: string) => void
}

/** Delay between the last key and the request for completions. Milliseconds. */
const debounceMs = 150

function ArgumentField({
  argument: { name, description, required },
  value,
  problem,
  complete,
  onChange,
}: ArgumentFieldProps) {
  const id = useId()
  const [suggestions, setSuggestions] = useState<readonly string[]>([])
  const [typing, setTyping] = useState(false)
  useEffect(() => {
    if (!typing) return
    let isStale = false
    const timer = setTimeout(() => {
      complete(value).then(
        (values) => isStale || setSuggestions(values),
        () => isStale || setSuggestions([]),
      )
    }, debounceMs)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [value, typing])
  return (
    <div className="field">
      <label htmlFor={id}>
        {name}
        {required && <span className="required"> *</span>}
      </label>
      {description !== '' && (
        <p className="quiet" id={`${id}-about`}>
          {description}
        </p>
      )}
      <input
        id={id}
        value={value}
        list={`${id}-suggestions`}
        autoComplete="off"
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-about ${id}-problem`}
        onFocus={() => setTyping(true)}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={`${id}-suggestions`}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
      <p className="problem" id={`${id}-problem`}>
        {problem}
      </p>
    </div>
  )
}
