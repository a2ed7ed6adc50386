/** What strangers do with sessions of their own never brings an ended one back. */

import { memoryStore } from 'mcp-router'
import { expect, it } from 'vitest'
import type { SealedTokens } from '../../src/sessions/sealed-tokens.js'
import { Sessions } from '../../src/sessions/sessions.js'
import { silent, toLog } from '../../src/support/logger.js'

const claims = { protocolVersion: '2025-11-25', capabilities: {}, client: undefined, owner: undefined }
const hour = 3_600_000

/** Tokens that cost nothing: a number, and the bytes beside it. */
function cheapTokens(): SealedTokens {
  const sealed = new Map<string, Uint8Array>()
  const cheap: Pick<SealedTokens, 'seal' | 'open'> = {
    seal(_purpose, plain) {
      const token = String(sealed.size).padStart(32, 'x')
      sealed.set(token, plain)
      return token
    },
    open: (_purpose, token) => sealed.get(token),
  }
  return cheap as SealedTokens
}

const newSessions = (): Sessions =>
  new Sessions({
    tokens: cheapTokens(),
    ttlMs: hour,
    store: memoryStore(),
    log: toLog(silent),
    shared: false,
    writerTimeoutMs: 60_000,
    events: { onEnd() {}, onCancel() {} },
  })

function ended(): { sessions: Sessions; id: string } {
  const sessions = newSessions()
  const id = sessions.create(claims)
  const opened = sessions.open(id)
  if (opened === undefined) throw new Error('a new session does not open')
  void sessions.end(id, opened)
  return { sessions, id }
}

it('keeps a session ended though more than 100,000 others set their log level', () => {
  const { sessions, id } = ended()
  for (let other = 0; other < 100_001; other++) void sessions.setLogLevel(sessions.create(claims), 'debug')
  expect(sessions.open(id)).toBeUndefined()
})

it('keeps a session ended though its own log level is set again, which is not kept', () => {
  const { sessions, id } = ended()
  void sessions.setLogLevel(id, 'debug')
  expect([sessions.open(id), sessions.logLevel(id)]).toEqual([undefined, undefined])
})

it('keeps a session ended though 10,000 others are opened and 10,000 are ended', () => {
  const { sessions, id } = ended()
  for (let other = 0; other < 10_001; other++) {
    const [opened, left] = [sessions.create(claims), sessions.create(claims)]
    const found = sessions.open(left)
    if (sessions.open(opened) === undefined || found === undefined) throw new Error('it does not open')
    void sessions.end(left, found)
  }
  expect(sessions.open(id)).toBeUndefined()
})

it('keeps the log level of a session though fewer than 10,000 others set theirs', () => {
  const sessions = newSessions()
  const id = sessions.create(claims)
  void sessions.setLogLevel(id, 'error')
  for (let other = 0; other < 9_999; other++) void sessions.setLogLevel(sessions.create(claims), 'debug')
  expect(sessions.logLevel(id)).toBe('error')
})
