/** Errors of other servers' clients carry a status that was not meant for our callers, and a text that names insides. */

import { expect, it } from 'vitest'
import { failures, isError, masked } from '../support/failures.js'
import { versions } from '../wire/client.js'

const { log, failing } = failures()
const insides = 'no such index [payroll-internal]'

/** As search clients make them: the status is a getter of the class. */
class ResponseError extends Error {
  override readonly name = 'ResponseError'
  readonly meta = { statusCode: 404, body: { error: insides }, headers: {} }
  get statusCode(): number {
    return this.meta.statusCode
  }
}

const foreign: [what: string, error: Error][] = [
  ['a search client', Object.assign(new Error(insides), { statusCode: 404, meta: { statusCode: 404 } })],
  ['a search client, as a class', new ResponseError(insides)],
  [
    'a telephony client',
    Object.assign(new Error(insides), { status: 400, code: 1, moreInfo: 'https://example.com/1' }),
  ],
  ['an auth client', Object.assign(new Error(insides), { status: 400, code: 'x', __isAuthError: true })],
]

it.each(foreign)('masks the error of %s', async (_, error) => {
  for (const version of versions) {
    const { tool, resource, prompt } = failing(error, {}, version)
    expect(await tool()).toMatchObject(isError(masked))
    expect(await resource()).toMatchObject({ code: -32603, message: masked })
    expect(await prompt()).toMatchObject({ code: -32603, message: masked })
  }
  expect(log.at('error').length).toBe(3 * versions.length)
})

it('lets through what the app throws itself with the same status', async () => {
  for (const error of [
    Object.assign(new Error('No such task'), { statusCode: 404 }),
    Object.assign(new Error('No such task'), { status: 404, meta: { id: 1 } }),
    Object.assign(new Error('No such task'), { status: 400, code: 'task_missing' }),
  ]) {
    expect(await failing(error).tool()).toMatchObject(isError('No such task'))
  }
})
