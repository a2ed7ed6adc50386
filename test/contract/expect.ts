/** What every refusal must look like, whatever it refuses. */

import { expect } from 'vitest'
import type { Answer, Json } from './client.js'

/** Status, code, a JSON-RPC body with the id it answers (none when it could not be read), no page and no stack. */
export function expectError(answer: Answer, status: number, code: number, id?: unknown): void {
  expect({ status: answer.status, ...codeAndId(answer.json) }).toEqual({ status, code, id })
  expectErrorBody(answer)
}

export function expectErrorBody({ headers, json, text }: Answer): void {
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(json).toMatchObject({
    jsonrpc: '2.0',
    error: { code: expect.any(Number), message: expect.any(String) },
  })
  expect(json).not.toHaveProperty('result')
  expect(json.id).not.toBeNull()
  expect(json.error.message).not.toBe('')
  expect(text).not.toMatch(/<html|<pre|\n\s+at |\.[jt]s:\d+/i)
}

/** A JSON-RPC result with this id; returns it. */
export function expectResult(answer: Answer, id: unknown = 1): Json {
  expect(answer.status, answer.text).toBe(200)
  expect(answer.json).toMatchObject({ jsonrpc: '2.0', id, result: expect.any(Object) })
  return answer.json.result
}

/** The one text block that a tool answered. */
export function expectText(answer: Answer, id: unknown = 1): string {
  const { content } = expectResult(answer, id)
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }])
  return content[0].text
}

/** A tool failure that the model may read; returns its text. */
export function expectToolError(answer: Answer, id: unknown = 1): string {
  const text = expectText(answer, id)
  expect(answer.json.result.isError).toBe(true)
  return text
}

function codeAndId(json: Json): { code: unknown; id: unknown } {
  return { code: json?.error?.code, id: json?.id }
}
