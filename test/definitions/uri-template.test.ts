import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTemplate, parseTemplate } from '../../src/definitions/uri-template.js'

const match = (template: string, uri: string) => {
  const values = parseTemplate(template).match(uri)
  return values && { ...values }
}

describe('isTemplate', () => {
  it('is true if there is a brace', () => {
    expect(isTemplate('task://{id}')).toBe(true)
    expect(isTemplate('task://{id')).toBe(true)
    expect(isTemplate('task://1')).toBe(false)
  })
})

describe('parseTemplate', () => {
  it('lists the variables, those of the query as optional', () => {
    const { source, variables } = parseTemplate('repo://{owner}/{+path}{?ref,page}{&raw}')
    expect(source).toBe('repo://{owner}/{+path}{?ref,page}{&raw}')
    expect(variables).toEqual([
      { name: 'owner', optional: false },
      { name: 'path', optional: false },
      { name: 'ref', optional: true },
      { name: 'page', optional: true },
      { name: 'raw', optional: true },
    ])
  })

  it.each([
    ['x://{/id}', '"{/id}" is not supported'],
    ['x://{#id}', '"{#id}" is not supported'],
    ['x://{.id}', '"{.id}" is not supported'],
    ['x://{;id}', '"{;id}" is not supported'],
    ['x://{=id}', '"{=id}" is not supported'],
    ['x://{id*}', '"{id*}" is not supported'],
    ['x://{?id*}', '"{?id*}" is not supported'],
    ['x://{id:3}', '"{id:3}" is not supported'],
    ['x://{a,b}', '"{a,b}" is not supported'],
    ['x://{+a,b}', '"{+a,b}" is not supported'],
    ['x://{user-id}', '"{user-id}" is not supported'],
    ['x://{ id }', '"{ id }" is not supported'],
    ['x://{}', '"{}" is not supported'],
    ['x://{+}', '"{+}" is not supported'],
    ['x://{?}', '"{?}" is not supported'],
    ['x://{?a,}', '"{?a,}" is not supported'],
    ['x://{a.}', '"{a.}" is not supported'],
    ['x://{id', 'unmatched brace'],
    ['x://id}', 'unmatched brace'],
    ['x://{{id}}', 'unmatched brace'],
    ['x://{?id', 'unmatched brace'],
    ['x://{id}/{id}', 'a variable occurs twice'],
    ['x://{id}{?id}', 'a variable occurs twice'],
    ['x://{?a,a}', 'a variable occurs twice'],
    ['x://{a}{b}', '{b} directly follows another variable'],
    ['x://{a}{+b}', '{+b} directly follows another variable'],
    ['x://{?a}/b', '"/b" comes after the query'],
    ['x://{?a}{b}', '"{b}" comes after the query'],
    ['x://{?a}{?b}', '"{?b}" comes after the query'],
    ['x://{&a}', '{& has no query to continue'],
    ['x://a?v=1{?b}', 'the query begins twice'],
    ['x://a?v={v}{&b}', '"v={v}" contains a variable'],
  ])('refuses %s', (template, problem) => {
    expect(() => parseTemplate(template)).toThrow(problem)
    expect(() => parseTemplate(template)).toThrow(`URI template "${template}"`)
  })
})

describe('{var}', () => {
  it.each([
    ['task://{id}', 'task://7', { id: '7' }],
    ['task://{id}', 'task://a%20b', { id: 'a b' }],
    ['task://{id}', 'task://...', { id: '...' }],
    ['task://{id}', 'task://..a', { id: '..a' }],
    ['task://{id}', 'task://%252e%252e%252f', { id: '%2e%2e%2f' }],
    ['task://{id}', 'task://ä', { id: 'ä' }],
    ['db://{table}/{row}/raw', 'db://users/1/raw', { table: 'users', row: '1' }],
    ['{scheme}://x', 'a://x', { scheme: 'a' }],
    ['x://{a}-{b}', 'x://1-2-3', { a: '1', b: '2-3' }],
    ['x://{a}-{b}', 'x://--b', { a: '-', b: 'b' }],
    ['x://{a}.json', 'x://v1.json.json', { a: 'v1.json' }],
    ['x://q?id={id}', 'x://q?id=1', { id: '1' }],
    ['x://{__proto__}/{constructor}', 'x://1/2', JSON.parse('{"__proto__":"1","constructor":"2"}')],
  ])('%s matches %s', (template, uri, values) => {
    expect(Object.entries(parseTemplate(template).match(uri) ?? {})).toEqual(Object.entries(values))
  })

  it.each([
    ['task://{id}', 'task://'],
    ['task://{id}', 'task://1/2'],
    ['task://{id}', 'task://1?x=2'],
    ['task://{id}', 'task://1#part'],
    ['task://{id}', 'Task://1'],
    ['task://{id}', 'xtask://1'],
    ['task://{id}', 'task://%'],
    ['task://{id}', 'task://%zz'],
    ['task://{id}', 'task://%ff'],
    ['task://{id}/x', 'task://1/x/x'],
    ['task://{id}/x', 'task:///x'],
    ['x://{a}-{b}', 'x://-b'],
    ['x://{a}-{b}', 'x://a-'],
  ])('%s does not match %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined()
  })

  it('returns an object without prototype', () => {
    expect(Object.getPrototypeOf(parseTemplate('task://{id}').match('task://1'))).toBeNull()
  })
})

describe('{+var}', () => {
  it.each([
    ['file://{+path}', 'file:///a/b%20c.txt', { path: '/a/b%20c.txt' }],
    ['file://{+path}', 'file://a?b', { path: 'a?b' }],
    ['file://{+path}', 'file://%zz', { path: '%zz' }],
    ['x://{+a}/{b}', 'x://1/2/3', { a: '1/2', b: '3' }],
    ['x://{+a}.{b}', 'x://v.y/z.w', { a: 'v.y/z', b: 'w' }],
    ['x://{+a}.{b}', 'x://v.y/z.w.u', { a: 'v.y/z.w', b: 'u' }],
    ['x://{a}/{+b}', 'x://1/2/3', { a: '1', b: '2/3' }],
    ['x://{+a}/blob/{+b}', 'x://1/blob/2/blob/3', { a: '1/blob/2', b: '3' }],
    ['x://{+a}/{b}.{c}', 'x://1/2.3/4.5', { a: '1/2.3', b: '4', c: '5' }],
    ['x://{+a}/c{d}c/{+b}', 'x://c/c1c/cc/c2/c', { a: 'c', d: '1', b: 'cc/c2/c' }],
    ['x://{+path}{?ref}', 'x://a/b?ref=c', { path: 'a/b', ref: 'c' }],
  ])('%s matches %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values)
  })

  it.each([
    ['file://{+path}', 'file://'],
    ['file://{+path}', 'file://a#b'],
    ['x://{+a}/{b}', 'x://1'],
    ['x://{+a}/{b}', 'x://1/'],
  ])('%s does not match %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined()
  })
})

describe('{?a,b} and {&a,b}', () => {
  it.each([
    ['x://a{?b,c}', 'x://a', {}],
    ['x://a{?b,c}', 'x://a?', {}],
    ['x://a{?b,c}', 'x://a?b=1&c=2', { b: '1', c: '2' }],
    ['x://a{?b,c}', 'x://a?c=2&b=1', { b: '1', c: '2' }],
    ['x://a{?b,c}', 'x://a?c=2', { c: '2' }],
    ['x://a{?b,c}', 'x://a?b=&c', { b: '', c: '' }],
    ['x://a{?b}', 'x://a?b=1+2%2B3%26%3D', { b: '1+2+3&=' }],
    ['x://a{?b}', 'x://a?b=1=2?3/4', { b: '1=2?3/4' }],
    ['x://a{?b}', 'x://a?z=%zz&b=1&toString=2&__proto__=3', { b: '1' }],
    ['x://a{?b}', 'x://a?b=1&b=2', { b: '1' }],
    ['x://a{?b}{&c}', 'x://a?c=2&b=1', { b: '1', c: '2' }],
    ['x://a?v=1{&b}', 'x://a?v=1', {}],
    ['x://a?v=1&w{&b}', 'x://a?b=2&w&v=1', { b: '2' }],
    ['x://{a}{?b}', 'x://1?b=2', { a: '1', b: '2' }],
  ])('%s matches %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values)
  })

  it.each([
    ['x://a{?b}', 'x://a?b=%'],
    ['x://a{?b}', 'x://a?b=1#c'],
    ['x://a{?b}', 'x://a#?b=1'],
    ['x://a{?b}', 'x://b?b=1'],
    ['x://a?v=1{&b}', 'x://a?v=2'],
    ['x://a?v=1{&b}', 'x://a?b=2'],
    ['x://a?v=1{&b}', 'x://a'],
  ])('%s does not match %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined()
  })
})

describe('decoding', () => {
  it('decodes variables encoded with encodeURIComponent', () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((value) => !/[\p{Cc}\u2028\u2029/\\]|^\.\.?$/u.test(value))
    const greedy = fc
      .stringMatching(/^[^#?]+$/)
      .filter((value) => !/[\p{Cc}\u2028\u2029%]|(^|[\\/])\.\.([\\/]|$)/u.test(value))
    const optional = fc.option(fc.string({ unit: 'binary' }), { nil: undefined })
    const template = parseTemplate('x://{a}/{b}/-/{+path}/end{?c,d}')
    const encode = encodeURIComponent
    fc.assert(
      fc.property(text, text, greedy, optional, optional, (a, b, path, c, d) => {
        const query = { ...(c !== undefined && { c }), ...(d !== undefined && { d }) }
        const search = Object.entries(query).map(([key, value]) => `${key}=${encode(value)}`)
        const uri = `x://${encode(a)}/${encode(b)}/-/${path}/end${search.length > 0 ? `?${search.join('&')}` : ''}`
        expect({ ...template.match(uri) }).toEqual({ a, b, path, ...query })
      }),
    )
  })
})

describe('values that leave their path', () => {
  it.each([
    ['file://{name}', 'file://..%2F..%2Fetc%2Fpasswd', 'name must not contain "/"'],
    ['file://{name}', 'file://a%2fb', '{+name}'],
    ['file://{name}', 'file://a%5Cb', 'name must not contain "/" or "\\"'],
    ['file://{name}', 'file://a\\b', 'name must not contain "/" or "\\"'],
    ['file://{name}', 'file://..', 'name must not be ".."'],
    ['file://{name}', 'file://%2e%2E', 'name must not be ".."'],
    ['file://{name}', 'file://%2e', 'name must not be "."'],
    ['file://{name}', 'file://a%00b', 'name must not contain control characters'],
    ['file://{name}', 'file://a%0Ab', 'name must not contain control characters'],
    ['file://{name}', 'file://a\u0000b', 'name must not contain control characters'],
    ['file://{name}', 'file://a%C2%85b', 'name must not contain control characters'],
    ['file://{dir}/{name}.md', 'file://a/...md', 'name must not be ".."'],
    ['file://{dir}/{name}', 'file://%2e%2e/a', 'dir must not be ".."'],
    ['file://{+path}', 'file:///a/../b', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://..', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://a/%2e%2e/b', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://a/.%2E', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://a%2f..%2fb', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://a\\..\\b', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://a%5C..%5Cb', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://%ff%2f..%2fb', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://%zz/%2e%2e/b', 'path must not contain the segment ".."'],
    ['file://{+path}', 'file://a%00', 'path must not contain control characters'],
    ['file://{+path}', 'file://%ff%00', 'path must not contain control characters'],
    ['file://{+path}', 'file://a\u001fb', 'path must not contain control characters'],
  ])('%s refuses %j', (template, uri, reason) => {
    const { match, refusal } = parseTemplate(template)
    expect(match(uri)).toBeUndefined()
    expect(refusal(uri)).toContain(reason)
  })

  it.each([
    ['file://{+path}', 'file://a..b/..c/d../...', { path: 'a..b/..c/d../...' }],
    ['file://{+path}', 'file://a%2Fb', { path: 'a%2Fb' }],
    ['file://{+path}', 'file://./a', { path: './a' }],
    ['x://find{?text}', 'x://find?text=..%2Fa%0Ab', { text: '../a\nb' }],
  ])('%s takes %j', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values)
    expect(parseTemplate(template).refusal(uri)).toBeUndefined()
  })

  it('refuses nothing about a URI of another shape', () => {
    expect(parseTemplate('file://{name}').refusal('file://a/b')).toBeUndefined()
  })

  it('never passes a handler a value that leaves its segment or root', () => {
    const unit = fc.constantFrom(
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      '%2F',
      '%5c',
      '%00',
      '%0a',
      'a',
      '%C3%A4',
      '%ff',
      '\u0000',
    )
    const text = fc.array(unit, { minLength: 1, maxLength: 8 }).map((units) => units.join(''))
    const [single, greedy] = ['x://{a}', 'x://{+a}'].map(parseTemplate)
    fc.assert(
      fc.property(text, (value) => {
        const one = single?.match(`x://${value}`)?.a
        if (one !== undefined) expect(one).not.toMatch(/[\p{Cc}/\\]|^\.\.?$/u)
        const whole = greedy?.match(`x://${value}`)?.a
        if (whole === undefined) return
        for (const seen of [whole, unescape(whole)]) {
          expect(seen).not.toMatch(/\p{Cc}/u)
          expect(seen.split(/[\\/]/)).not.toContain('..')
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('matching', () => {
  const literal = fc.string({ unit: fc.constantFrom('a', 'b', '/', '-'), minLength: 1, maxLength: 2 })
  const variable = fc.constantFrom('{#}', '{+#}')

  /** Templates such as `a{v0}/-{+v1}b`, over an alphabet so small that everything is ambiguous. */
  const template = fc
    .tuple(literal, fc.array(fc.tuple(variable, literal), { minLength: 1, maxLength: 4 }))
    .map(([first, rest]) => first + rest.map(([kind, text], i) => kind.replace('#', `v${i}`) + text).join(''))
  const uri = fc.string({ unit: fc.constantFrom('a', 'b', '/', '-', '?', '#'), maxLength: 14 })

  it('matches the same URIs, with the same values, as a backtracking pattern', () => {
    fc.assert(
      fc.property(template, uri, (source, text) => {
        const pattern = source.replaceAll(/\{(\+?)(\w+)\}/g, (_, plus, name) =>
          plus ? `(?<${name}>[^#]+)` : `(?<${name}>[^/?#]+?)`,
        )
        const expected = new RegExp(`^${pattern}$`).exec(text)
        expect(match(source, text)).toEqual(expected ? { ...expected.groups } : undefined)
      }),
      { numRuns: 5_000 },
    )
  })

  it('never throws', () => {
    const templates = ['x://{a}-{+b}/{c}{?d,e}', '{+a}', 'x://a?v=1{&b}'].map(parseTemplate)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { match } of templates) for (const prefix of ['', 'x://', 'x://a?']) match(prefix + text)
      }),
    )
  })

  const hostile: [template: string, uri: (n: number) => string][] = [
    ['x://{a}-{b}-{c}-{d}!', (n) => `x://${'-'.repeat(n)}`],
    ['x://{+a}/{+b}/{+c}/{+d}!', (n) => `x://${'/'.repeat(n)}`],
    ['x://{+a}x{b}y/{+c}', (n) => `x://${'y'.repeat(n)}/y/`],
    ['x://{+a}aaaaaaab{b}', (n) => `x://${'a'.repeat(n)}`],
    ['x://{a}', (n) => `x://${'%'.repeat(n)}`],
    ['x://{+a}/{b}.{c}', (n) => `x://${'a/'.repeat(n / 2)}.`],
    ['x://a{?b,c}', (n) => `x://a?${'&b'.repeat(n / 2)}&c=%`],
    ['x://a?v=1{&b}', (n) => `x://a?${'='.repeat(n)}&b=${'%41'.repeat(n / 3)}`],
  ]

  it.each(hostile)('%s takes steps linear in the URI', (source, uri) => {
    const of = (length: number): number => stepsOf(source, uri(length))
    // Eight times the text, and eight times the steps: a quadratic matcher would need 64 times as many.
    expect(of(80_000)).toBeLessThan(8.5 * of(10_000))
  })

  it('takes a bounded number of steps per character and part, for any template and URI', () => {
    fc.assert(
      fc.property(
        template,
        fc.string({ unit: fc.constantFrom('a', 'b', '/', '-'), maxLength: 200 }),
        (source, text) => {
          const parts = source.split(/(?=\{)|(?<=\})/).length
          expect(stepsOf(source, text)).toBeLessThanOrEqual(8 * parts * (text.length + 1))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

/** The characters that a matcher looks at, or copies. */
function stepsOf(source: string, uri: string): number {
  const counted = new Counted(uri)
  parseTemplate(source).match(counted as unknown as string)
  return counted.count.steps
}

/** A text that counts what is read of it; its parts go on counting. */
class Counted extends String {
  readonly count: { steps: number }

  constructor(text: string, count = { steps: 0 }) {
    super(text)
    this.count = count
  }

  #part(text: string, steps = text.length): string {
    this.count.steps += steps + 1
    return new Counted(text, this.count) as unknown as string
  }

  override charAt(at: number): string {
    this.count.steps += 1
    return super.charAt(at)
  }

  override startsWith(text: string, at?: number): boolean {
    this.count.steps += text.length
    return super.startsWith(text, at)
  }

  override indexOf(text: string): number {
    this.count.steps += this.length
    return super.indexOf(text)
  }

  override includes(text: string): boolean {
    this.count.steps += this.length
    return super.includes(text)
  }

  override slice(start?: number, end?: number): string {
    return this.#part(super.slice(start, end))
  }

  override split(separator: unknown): string[] {
    return super.split(separator as string).map((text) => this.#part(text))
  }
}
