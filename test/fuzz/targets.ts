/** What reads the text of strangers. A target throws where it does not hold what it promises. */

import { McpRouter } from 'mcp-router'
import { parseTemplate } from '../../src/definitions/uri-template.js'
import { decodeHeaderValue, matchesHeader } from '../../src/protocol/header-value.js'
import { parseExpress4 } from '../../src/routes/discovery/path-syntax.js'
import { toTemplate } from '../../src/routes/discovery/path-template.js'
import { pathBuilder } from '../../src/routes/request/path-builder.js'
import { SealedTokens } from '../../src/sessions/sealed-tokens.js'
import { decodeSession } from '../../src/sessions/session-token.js'
import { readText } from '../../src/transports/http/body.js'
import { addOneOfEach } from '../support/routers-plain.js'
import { silent } from '../support/silent.js'
import { envelope } from '../wire/client.js'

export interface Target {
  /** Texts to begin with. */
  readonly seeds: readonly string[]
  run(text: string): unknown
}

const templates = ['x://{a}-{+b}/{c}{?d,e}', '{+a}', 'x://a?v=1{&b}'].map(parseTemplate)
const tokens = new SealedTokens(['a secret that is long enough'])
const paths = ['/u/:id', '/u/:a-:b', '/u/:id.json', '/u/:id(\\w+)'].map((path) =>
  pathBuilder(toTemplate(parseExpress4(path)), [
    { template: toTemplate(parseExpress4('/u/admin')), label: 'GET /u/admin' },
  ]),
)
const router = addOneOfEach(new McpRouter({ logger: silent }))
const rpc = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

export const targets: Readonly<Record<string, Target>> = {
  'URI templates': {
    seeds: ['x://1-2/3?d=4&e=%41', 'x://a?v=1&b=2'],
    run(text) {
      for (const template of templates) template.match(text)
      try {
        parseTemplate(text).match(text)
      } catch (error) {
        expectMessage(error, /^URI template /)
      }
    },
  },
  'header values': {
    seeds: ['=?base64?TcO8bmNoZW4=?=', ' text ', '42.0'],
    run(text) {
      const value = decodeHeaderValue(text)
      if (value !== undefined && !matchesHeader(value, text))
        throw new Error('expected that a header says what it says')
    },
  },
  'session tokens': {
    seeds: [Buffer.from([1, 3, 2, 1, 97, 1, 98]).toString('latin1')],
    run(text) {
      decodeSession(Buffer.from(text, 'latin1'))
      if (tokens.open('session', text) !== undefined) throw new Error('expected that nobody can make a token')
    },
  },
  'route paths': {
    seeds: ['7', '../admin', 'a%2fb'],
    run(text) {
      for (const toPath of paths) {
        try {
          const path = toPath({ id: text, a: text, b: text })
          if (new URL(path, 'http://host').pathname !== path)
            throw new Error(`expected no other path than ${path}`)
          if (path.toLowerCase() === '/u/admin') throw new Error('expected not to reach another route')
        } catch (error) {
          expectMessage(error, /^Invalid path: /)
        }
      }
    },
  },
  messages: {
    seeds: [
      rpc('tools/call', { name: 't', _meta: envelope() }),
      rpc('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
      rpc('completion/complete', {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'a', value: '' },
      }),
    ],
    async run(text) {
      let value: unknown
      try {
        value = readText(text, { maxDepth: 64, maxElements: 1_000 })
      } catch (error) {
        return expectMessage(error, /^(Parse error|Invalid request): /)
      }
      const answer = JSON.stringify((await router.handle(value)) ?? '')
      if (/-32603|node:internal|TypeError/.test(answer))
        throw new Error(`expected an answer without a fault, got ${answer}`)
    },
  },
}

function expectMessage(error: unknown, expected: RegExp): void {
  if (!expected.test((error as Error).message)) throw error
}
