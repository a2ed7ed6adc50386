/** A form for an input schema, or the same input as JSON. */

import Form from '@rjsf/core'
import type { UiSchema } from '@rjsf/utils'
import { type FormEvent, useId, useMemo, useState } from 'react'
import { Choices } from './choices.js'
import { buttons } from './form-buttons.js'
import { prune, toFormSchema } from './form-schema.js'
import { UnionTemplate } from './form-union.js'
import { validator } from './validator.js'

export interface InputFormProps {
  readonly schema: Readonly<Record<string, unknown>>
  readonly initial?: unknown
  readonly submit: string
  readonly busy?: boolean
  readonly onSubmit: (value: Record<string, unknown>) => void
}

const modes = { form: 'Form', json: 'JSON' } as const
const uiSchema: UiSchema = { 'ui:submitButtonOptions': { norender: true } }
const templates = { ButtonTemplates: buttons, MultiSchemaFieldTemplate: UnionTemplate }
/** Leaves optional members out until they are filled in. */
const defaults = {
  emptyObjectFields: 'populateRequiredDefaults',
  arrayMinItems: { populate: 'requiredOnly' },
} as const

export function InputForm({ schema, initial, submit, busy = false, onSubmit }: InputFormProps) {
  const [mode, setMode] = useState<'form' | 'json'>('form')
  const [data, setData] = useState<unknown>(initial ?? {})
  const prepared = useMemo(() => toFormSchema(schema), [schema])
  const fields = Object.keys((schema.properties ?? {}) as object).length
  const formId = `form-${useId()}`
  return (
    <div className="input">
      <Choices label="How to write the input" names={modes} chosen={mode} onChoose={setMode} />
      {mode === 'json' ? (
        <RawInput id={formId} value={data} onChange={setData} onSubmit={onSubmit} />
      ) : (
        <>
          {fields === 0 && <p className="quiet">It has no input.</p>}
          <Form
            id={formId}
            idPrefix={formId}
            schema={prepared}
            uiSchema={uiSchema}
            validator={validator}
            formData={data}
            noHtml5Validate
            showErrorList={false}
            focusOnFirstError
            templates={templates}
            experimental_defaultFormStateBehavior={defaults}
            // Each field shows its own errors.
            onError={() => {}}
            onChange={({ formData }) => setData(formData)}
            onSubmit={({ formData }) => onSubmit(prune(schema, formData ?? {}) as Record<string, unknown>)}
          />
        </>
      )}
      <button type="submit" form={formId} className="primary" disabled={busy}>
        {submit}
      </button>
    </div>
  )
}

interface RawInputProps {
  readonly id: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly onSubmit: (value: Record<string, unknown>) => void
}

function RawInput({ id, value, onChange, onSubmit }: RawInputProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [problem, setProblem] = useState('')
  const read = (typed: string): Record<string, unknown> | undefined => {
    setText(typed)
    try {
      const parsed: unknown = JSON.parse(typed)
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
        throw new Error('expected an object')
      setProblem('')
      onChange(parsed)
      return parsed as Record<string, unknown>
    } catch (error) {
      setProblem(`Expected JSON: ${(error as Error).message}`)
      return undefined
    }
  }
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const parsed = read(text)
    // Input that doesn't match the schema is sent too, so that people can see how the server responds.
    if (parsed !== undefined) onSubmit(parsed)
  }
  return (
    <form id={id} onSubmit={send}>
      <label>
        Input as JSON
        <textarea rows={10} spellCheck={false} value={text} onChange={(event) => read(event.target.value)} />
      </label>
      {problem !== '' && <p className="problem">{problem}</p>}
    </form>
  )
}
