/** `confirm: true`: the user sees the arguments and says yes or no before a tool runs. */

import type { Elicited } from '../definitions/context.js'
import type { ClientRequest } from './client-request.js'
import { actionOf, assertElicits } from './elicitation.js'

/** Keys of our own questions. */
export const ownKeys = 'mcp-router/'

/** Longer arguments are cut in the message: people do not read more. */
const longestShown = 2_000

export function confirmation(
  owner: string,
  input: unknown,
): ClientRequest<Pick<Elicited<unknown>, 'action'>> {
  const shown = JSON.stringify(input, undefined, 2) ?? ''
  const cut = shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown
  const message = `Run ${owner} with these arguments?\n${cut}`
  const requestedSchema = { type: 'object', properties: {} }
  return {
    method: 'elicitation/create',
    key: `${ownKeys}confirm`,
    needs: ['elicitation'],
    bound: true,
    params(revision) {
      assertElicits(revision)
      const request = { message, requestedSchema }
      return revision.elicitation === 'full' ? { mode: 'form', ...request } : request
    },
    read: (answer) => ({ action: actionOf(answer) }),
  }
}
