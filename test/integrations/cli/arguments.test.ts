/** What people type as arguments. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readArguments, takesTextFor } from '../../../integrations/cli/tool-arguments.js'
import { temporaryFolder } from './binary.js'

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    limit: { type: 'integer' },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    state: { enum: ['on', 'off'] },
  },
}

const read = (words: readonly string[], stdin = '') =>
  readArguments(words, takesTextFor(schema), { input: Readable.from([stdin]) })

describe('arguments', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['{"limit":3}'], { limit: 3 }],
    [['id=7'], { id: '7' }],
    [['limit=7'], { limit: 7 }],
    [['maybe=7'], { maybe: '7' }],
    [['state=on'], { state: 'on' }],
    [['id:=7'], { id: 7 }],
    [['unknown=true', 'other=a b=c'], { unknown: true, other: 'a b=c' }],
    [['list=[1,2]', 'deep={"a":1}'], { list: [1, 2], deep: { a: 1 } }],
    [['id='], { id: '' }],
    [['{"limit":3,"id":"a"}', 'limit=4'], { limit: 4, id: 'a' }],
  ])('%j', async (words, args) => {
    expect(await read(words)).toEqual(args)
  })

  it('come from stdin, and from files', async () => {
    const file = join(await temporaryFolder(), 'args.json')
    await writeFile(file, '{"id":"file"}')
    expect(await read(['-', 'limit=2'], '{"limit":1,"id":"x"}')).toEqual({ limit: 2, id: 'x' })
    expect(await read([`@${file}`])).toEqual({ id: 'file' })
  })

  it('may have any name', async () => {
    const args = await read(['__proto__=1'])
    expect(Object.keys(args)).toEqual(['__proto__'])
    expect(JSON.stringify(args)).toBe('{"__proto__":1}')
  })

  it.each([
    [['word'], "Expected arguments as '{"],
    [['[1]'], "Expected arguments as '{"],
    [['{"limit":'], 'expected JSON'],
    [['@nowhere.json'], '@nowhere.json: ENOENT'],
    [['id:=x'], 'id: expected JSON'],
    [['-'], 'stdin: expected JSON'],
  ])('%j is refused', async (words, message) => {
    await expect(read(words)).rejects.toThrow(message)
  })

  it('are an object, wherever they come from', async () => {
    const file = join(await temporaryFolder(), 'list.json')
    await writeFile(file, '[1]')
    await expect(read([`@${file}`])).rejects.toThrow(`@${file}: expected a JSON object such as`)
    await expect(read(['-'], '5')).rejects.toThrow('stdin: expected a JSON object such as')
  })
})
