import { describe, expect, it } from 'vitest'
import { brandOf, McpError } from '../../src/errors/errors.js'
import { retryAfterSeconds } from '../../src/errors/from-http-refusal.js'
import { cookieWatcher } from '../../src/routes/response/session-cookies.js'
import { answer, json, refused } from '../routes/response/route-response.js'
import { stopwatch } from '../support/time.js'

describe('a refusal of a route', () => {
  it.each<[string, unknown, string]>([
    [
      'Fastify',
      {
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        error: 'Bad Request',
        message: 'body/title must be string',
      },
      ': body/title must be string',
    ],
    [
      'express-validator 7',
      { errors: [{ type: 'field', msg: 'Invalid value', path: 'title', location: 'body', value: 'v' }] },
      '\n- title: Invalid value',
    ],
    [
      'express-validator 6',
      { errors: [{ msg: 'Invalid value', param: 'title' }] },
      '\n- title: Invalid value',
    ],
    [
      'celebrate',
      {
        statusCode: 400,
        error: 'Bad Request',
        message: 'Validation failed',
        validation: { body: { source: 'body', keys: ['title'], message: '"title" is required' } },
      },
      ': Validation failed\n- body: "title" is required',
    ],
    [
      'problem+json',
      {
        type: 'about:blank',
        title: 'Not valid',
        detail: 'Look below',
        'invalid-params': [{ name: 'age', reason: 'must be positive' }],
      },
      ': Look below\n- age: must be positive',
    ],
    ['Zod', { error: { issues: [{ code: 'x', path: ['a', 0], message: 'Required' }] } }, '\n- a.0: Required'],
    [
      'Zod, flattened',
      { error: 'Invalid', details: { fieldErrors: { a: ['Required'] }, formErrors: ['No such pair'] } },
      ': Invalid\n- a: Required\n- formErrors: No such pair',
    ],
    [
      'Valibot',
      {
        issues: [
          {
            message: 'Bad',
            path: [
              { type: 'object', key: 'a' },
              { type: 'array', key: 0 },
            ],
          },
        ],
      },
      '\n- a.0: Bad',
    ],
    [
      'NestJS',
      {
        statusCode: 400,
        message: ['name should not be empty', 'age must be a number'],
        error: 'Bad Request',
      },
      '\n- name should not be empty\n- age must be a number',
    ],
    [
      'class-validator',
      {
        message: 'Invalid',
        errors: [{ property: 'age', constraints: { isInt: 'must be whole', min: 'is low' } }],
      },
      ': Invalid\n- age: must be whole, is low',
    ],
    [
      'FastAPI',
      { detail: [{ type: 'missing', loc: ['body', 'title'], msg: 'Field required', input: {} }] },
      '\n- body.title: Field required',
    ],
    ['a list as the error', { error: [{ path: ['a'], message: 'Required' }] }, '\n- a: Required'],
    [
      'details in words of its own',
      { error: { message: 'Invalid', details: [{ field: 'a', issue: 'is low' }] } },
      ': Invalid\n- {"field":"a","issue":"is low"}',
    ],
    ['Joi', { details: [{ message: '"a" is required', path: ['a'] }] }, '\n- "a" is required'],
    [
      'JSON:API',
      { errors: [{ title: 'Invalid', detail: 'Too short', source: { pointer: '/data/name' } }] },
      '\n- data.name: Too short',
    ],
    [
      'a map of fields',
      { message: 'Invalid', errors: { title: ['is short', 'is plain'], age: 'is low' } },
      ': Invalid\n- title: is short, is plain\n- age: is low',
    ],
    [
      'Mongoose',
      { errors: { title: { name: 'ValidatorError', message: 'Path `title` is required.' } } },
      '\n- title: Path `title` is required.',
    ],
    [
      'a message that its list repeats',
      { message: 'title is required', errors: [{ message: 'title is required' }] },
      ': title is required',
    ],
    [
      'a message that its list says with the field',
      { message: 'Required', errors: [{ path: ['title'], message: 'Required' }] },
      ': title: Required',
    ],
    [
      'Fastify, with its list',
      {
        message: "body must have required property 'title'",
        validation: [
          { instancePath: '', message: "must have required property 'title'" },
          { instancePath: '/age', message: 'must be integer' },
        ],
      },
      ": body must have required property 'title'\n- age: must be integer",
    ],
    [
      'Mongoose, joined',
      {
        message: 'Task validation failed: title: Path `title` is required., age: is low',
        errors: { title: { message: 'Path `title` is required.' }, age: { message: 'is low' } },
      },
      ': Task validation failed: title: Path `title` is required., age: is low',
    ],
    [
      'a message that is said of several fields',
      { message: 'Required', errors: { a: 'Required', b: 'Required' } },
      ': Required\n- a: Required\n- b: Required',
    ],
    ['the status', { statusCode: 400, error: 'Bad Request', message: 'Bad request.' }, ''],
    ['the status with its code', { message: '400: Bad Request' }, ''],
    ['{ error }', { error: 'No such thing' }, ': No such thing'],
    ['{ error: { message } }', { error: { message: 'No such thing', code: 1 } }, ': No such thing'],
    ['{ message }', { message: 'No such thing' }, ': No such thing'],
    ['OAuth', { error: 'invalid_request', error_description: 'No such thing' }, ': No such thing'],
    ['a list alone', [{ msg: 'Bad', path: 'a' }, 'Worse'], '\n- a: Bad\n- Worse'],
    [
      'its own shape',
      { why: 'so', stack: 'Error: x\n at y', nested: { trace: 'z' } },
      ': {"why":"so","nested":{}}',
    ],
    ['a JSON string', '"No"', ': No'],
    ['a number', '5', ''],
    ['nothing', '{}', ''],
    ['a list of what says nothing', '[5, null, {}]', ''],
    [
      'constraints that are none',
      [{ property: 'a', constraints: { isInt: 5 } }],
      '\n- {"property":"a","constraints":{"isInt":5}}',
    ],
    [
      'rules of class-validator',
      [{ property: 'a', constraints: { isInt: 'a must be whole' } }],
      '\n- a must be whole',
    ],
  ])('says what is wrong: %s', (_, body, text) => {
    const error = refused(answer(400, body, json))
    expect(brandOf(error)).toBe('tool')
    expect(error.message).toBe(`400 Bad Request${text}`)
  })

  it.each([
    ['text', 'No such thing', 'text/plain'],
    ['text with a stack', 'No such thing\n    at fn (file.js:1:2)\n    at x', 'text/plain'],
    [
      'a page of Express',
      '<!DOCTYPE html><html><head><title>Error</title></head><body><pre>No such thing</pre></body>',
      'text/html',
    ],
    [
      'a page with a stack',
      '<html><head><title>Error</title></head><pre>No such thing<br> &nbsp; &nbsp;at fn (file.js:1:2)<br> &nbsp;at x</pre>',
      'text/html',
    ],
    ['a page that says nothing of its type', '<h1>No such thing</h1><p>x', undefined],
  ])('is one line of %s', (_, body, type) => {
    expect(refused(answer(409, body, type)).message).toBe('409 Conflict: No such thing')
  })

  const frames = 'TypeError: No\n    at Pool.query (/srv/app/db.js:3:4)\n    at async /srv/app/x.js:7:1'
  it.each<[string, unknown, string?]>([
    ['a key of its own shape', { code: 4, info: frames }],
    ['a key of a key', { code: 4, cause: { info: [frames] } }],
    ['lines in a list', { code: 4, lines: frames.split('\n') }],
    ['a map of fields', { errors: { a: frames, b: [frames], stack: frames, c: { message: frames } } }],
    ['a list of errors', { errors: [frames, { path: 'a', message: frames }] }],
    ['a message that is JSON', { message: JSON.stringify({ why: 'No', more: frames }) }],
    ['one line', { message: 'No at Pool.query (/srv/app/db.js:3:4)' }],
    ['one line without a name', { message: 'No at file:///srv/app/db.js:3:4' }],
    ['one line of Windows', { message: 'No at async f (C:\\srv\\app\\db.js:3:4)' }],
    ['a frame without a file first', { message: 'No at JSON.parse (<anonymous>) at /srv/app/db.js:3:4' }],
    ['frames of other engines', { message: 'No query@file:///srv/app/db.js:3:4' }],
    ['what required a module', { message: "Cannot find module 'x'\nRequire stack:\n- /srv/app/db.js" }],
    ['JSON that is cut off', '{"why":"No","stack":"Error: No\\n    at f (/srv/app/db.js:3:4)'],
    ['text of one line', 'No at Pool.query (/srv/app/db.js:3:4)', 'text/plain'],
    ['a page', `<h1>No</h1><pre>${frames}</pre>`, 'text/html'],
    ['a page of frames alone', `<pre>${frames.split('\n').slice(1).join('\n')}</pre>`, 'text/html'],
  ])('never shows a stack: %s', (_, body, type) => {
    for (const status of [400, 403, 422, 500]) {
      const { message } = refused(answer(status, body, type ?? json, { 'www-authenticate': 'Basic' }))
      expect(message).not.toMatch(/srv|\.js:\d|\bat (?:async|Pool|f\b)/)
    }
  })

  it.each([
    'Meet at noon (see 10:30), or at 10:30:15',
    'No user at example.com:443 (or at 10.0.0.1:80)',
    'Write to ann@example.com at once (it costs 1:2)',
  ])('leaves what is no stack: %s', (message) => {
    expect(refused(answer(400, { message })).message).toBe(`400 Bad Request: ${message}`)
  })

  it('reads a long refusal in no time', () => {
    const worked = stopwatch()
    for (const part of ['at ', 'at a (', '@a', ' at a/', '\\n', 'at (:1'])
      refused(answer(400, { message: part.repeat(100_000), info: part.repeat(10_000) }))
    expect(worked()).toBeLessThan(2_000)
  })

  it('is its status where the body says no more', () => {
    expect(refused(answer(403)).message).toBe('403 Forbidden')
    expect(refused(answer(403, 'Forbidden', 'text/plain')).message).toBe('403 Forbidden')
    expect(refused(answer(499)).message).toBe('499 Refused')
    expect(brandOf(refused(answer(404)))).toBe('not-found')
  })

  it('keeps the status of a challenge', () => {
    const error = refused(
      answer(401, { message: 'Who?' }, json, { 'www-authenticate': 'Bearer' }),
    ) as McpError
    expect(error).toBeInstanceOf(McpError)
    expect(error.http).toEqual({ status: 401, headers: { 'WWW-Authenticate': 'Bearer' } })
    expect(error.message).toBe('Who?')
    expect(brandOf(refused(answer(401, { message: 'Who?' })))).toBe('tool')
  })

  it('says something of a challenge without a body, as express-basic-auth sends it', () => {
    const challenge = { 'www-authenticate': 'Basic realm="R"' }
    expect(refused(answer(401, '', 'text/plain', challenge)).message).toBe('Sign in to use this')
    expect(refused(answer(403, '', 'text/plain', challenge)).message).toBe('You may not do this')
  })

  it('says how long to wait', () => {
    const wait = { 'retry-after': '30' }
    expect(refused(answer(429, 'Slow down', 'text/plain', wait)).message).toBe(
      '429 Too Many Requests: Slow down. Try again in 30 seconds.',
    )
    const unavailable = refused(answer(503, 'connect ECONNREFUSED 10.0.0.1', 'text/plain', wait))
    expect(unavailable.message).toBe('503 Service Unavailable. Try again in 30 seconds.')
    expect(brandOf(unavailable)).toBe('tool')
  })

  it.each([500, 502, 503, 600, 100])(
    'is a fault with status %i: nothing marks its message as one that may leave',
    (status) => {
      const error = refused(answer(status, { message: 'password=1' }))
      expect(brandOf(error)).toBeUndefined()
      expect(error.message).toBe(`GET /tasks answered ${status}: password=1`)
      expect(error).not.toHaveProperty('status')
      expect(error).not.toHaveProperty('expose')
    },
  )
})

describe('the seconds to wait', () => {
  const now = Date.UTC(2026, 0, 1)
  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60],
    [{ 'retry-after': 'Thu, 01 Jan 2020 00:01:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'ratelimit-reset': '12' }, 12],
    [{ 'x-ratelimit-reset': String(now / 1000 + 90) }, 90],
    [{ ratelimit: 'limit=5, remaining=0, reset=30' }, 30],
    [{ ratelimit: '"default";r=0;t=31' }, 31],
  ])('of %j are %s', (headers, seconds) => {
    expect(retryAfterSeconds({ headers }, now)).toBe(seconds)
  })
})

describe('session cookies of inner answers', () => {
  const setting = (...cookies: string[]) => ({ headers: { 'set-cookie': cookies } })

  it('are warned of once, when a route sets one again and again', () => {
    const warnings: string[] = []
    const watch = cookieWatcher((message) => warnings.push(message))
    for (let count = 0; count < 10; count++) {
      watch(setting('theme=dark', 'connect.sid=s1; HttpOnly'))
      expect(warnings).toHaveLength(count < 2 ? 0 : 1)
    }
    expect(warnings[0]).toContain('`connect.sid`')
  })

  it('are no reason to warn when they are removed, or are no sessions', () => {
    const watch = cookieWatcher((message) => expect.fail(message))
    for (let count = 0; count < 10; count++) {
      watch(setting('sid=; Path=/', 'session=x; Max-Age=0', 'theme=dark'))
      watch({ headers: {} })
    }
  })
})
