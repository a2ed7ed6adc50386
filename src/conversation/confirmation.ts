/** `confirm: true`: the user sees the arguments and says yes or no before a tool runs. */

import type { Elicited } from '../context.js'
import { isObject } from '../protocol/jsonrpc.js'
import { badAnswer, type Question } from './question.js'

/** Longer arguments are cut in the message: people do not read more. */
const longestShown = 2_000

export function confirmation(owner: string, input: unknown): Question<Pick<Elicited<unknown>, 'action'>> {
  const shown = JSON.stringify(input, undefined, 2) ?? ''
  const cut = shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown
  const message = `Run ${owner} with these arguments?\n${cut}`
  const requestedSchema = { type: 'object', properties: {} }
  return {
    method: 'elicitation/create',
    key: 'confirm',
    needs: ['elicitation'],
    bound: true,
    params: ({ elicitation }) =>
      elicitation === 'full' ? { mode: 'form', message, requestedSchema } : { message, requestedSchema },
    read(answer) {
      const action = isObject(answer) ? answer.action : undefined
      if (action === 'accept' || action === 'decline' || action === 'cancel') return { action }
      throw badAnswer('elicitation/create', 'expected action to be accept, decline or cancel')
    },
  }
}
