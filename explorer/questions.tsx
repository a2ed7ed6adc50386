/** Dialogs for requests of the server or of an app's page to the user. Shown one at a time. */

import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react'
import type { ServerRequest } from '../integrations/cli/client/client.js'
import { AppCall, refused } from './app-call.js'
import { Elicitation } from './elicitation.js'
import { rejected, Sampling } from './sampling.js'

export type Ask = (request: ServerRequest) => Promise<object>

export interface QuestionProps {
  readonly params: Readonly<Record<string, unknown>>
  readonly answer: (answer: object) => void
  readonly refuse: (error: Error) => void
}

interface Waiting extends QuestionProps {
  readonly id: number
  readonly method: string
}

interface Dialog {
  readonly title: string
  readonly Body: ComponentType<QuestionProps>
  /** Called when the user presses Escape. */
  escape(question: QuestionProps): void
}

const dialogs: Readonly<Record<string, Dialog>> = {
  'elicitation/create': {
    title: 'The server asks',
    Body: Elicitation,
    escape: ({ answer }) => answer({ action: 'cancel' }),
  },
  'tools/call': {
    title: 'The app wants to call a tool',
    Body: AppCall,
    escape: ({ refuse }) => refuse(refused()),
  },
  'sampling/createMessage': {
    title: 'The server asks',
    Body: Sampling,
    escape: ({ refuse }) => refuse(rejected()),
  },
}

let ids = 0

/** Answers `roots/list` from the settings, and queues dialogs for all other requests. */
export function useQuestions(roots: readonly string[]) {
  const [waiting, setWaiting] = useState<readonly Waiting[]>([])
  const ask: Ask = useCallback(
    ({ method, params = {} }) => {
      if (method === 'roots/list') return Promise.resolve({ roots: roots.map((uri) => ({ uri })) })
      if (!Object.hasOwn(dialogs, method))
        return Promise.reject(new Error(`the explorer does not support ${method}`))
      return new Promise<object>((resolve, reject) => {
        ids += 1
        const id = ids
        const done = (): void => setWaiting((all) => all.filter((question) => question.id !== id))
        const answer = (result: object): void => {
          done()
          resolve(result)
        }
        const refuse = (error: Error): void => {
          done()
          reject(error)
        }
        setWaiting((all) => [...all, { id, method, params, answer, refuse }])
      })
    },
    [roots],
  )
  return { question: waiting[0], ask }
}

export function QuestionDialog({ question }: { question: Waiting }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const kind = dialogs[question.method]
  return (
    <dialog
      ref={dialog}
      aria-label={kind?.title}
      onCancel={(event) => {
        event.preventDefault()
        kind?.escape(question)
      }}
    >
      <h2>{kind?.title}</h2>
      {kind !== undefined && <kind.Body {...question} />}
    </dialog>
  )
}
