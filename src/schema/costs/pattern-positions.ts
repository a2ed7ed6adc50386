/**
 * Reads a regular expression as an automaton whose states are the characters and classes in it (Glushkov's construction).
 * Assertions count as nothing, and large repetitions as small ones: enough to see where matching can go two ways.
 */

/** Character or class, by the characters of a sample that it matches. */
export type Atom = Uint8Array

export interface Automaton {
  readonly atoms: readonly Atom[]
  /** How many ways lead from one atom to the next, without a character in between. */
  readonly follow: readonly ReadonlyMap<number, number>[]
}

interface Part {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

const nothing: Part = { nullable: true, first: [], last: [] }

/** Repetitions count as at most so many copies. */
const mostCopies = 4
/** More atoms than a pattern that people write has; the analysis gives up there. */
const mostAtoms = 120

/** `undefined` for a pattern that is too large. Throws for one that is not valid. */
export function automatonOf(pattern: string): Automaton | undefined {
  const reader = new Reader(pattern)
  return reader.read() ? reader : undefined
}

class Reader implements Automaton {
  readonly atoms: Atom[] = []
  readonly follow: Map<number, number>[] = []
  readonly #tokens: readonly string[]
  readonly #sample: readonly string[]
  #at = 0

  constructor(pattern: string) {
    new RegExp(pattern, 'u')
    this.#tokens = pattern.match(token) ?? []
    const characters = [...pattern].filter((character) => !/[\w\s]/.test(character))
    this.#sample = [...new Set([...common, ...characters])]
  }

  read(): boolean {
    const start = this.#alternatives()
    return start !== undefined && this.atoms.length <= mostAtoms
  }

  #alternatives(): Part {
    let all = this.#sequence()
    while (this.#tokens[this.#at] === '|') {
      this.#at += 1
      const next = this.#sequence()
      all = {
        nullable: all.nullable || next.nullable,
        first: [...all.first, ...next.first],
        last: [...all.last, ...next.last],
      }
    }
    return all
  }

  #sequence(): Part {
    let whole = nothing
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      if (token === '|' || token === ')') break
      whole = this.#join(whole, this.#term())
    }
    return whole
  }

  /** A repetition is read once for each copy of it. */
  #term(): Part {
    const start = this.#at
    const part = this.#atom()
    const repeated = repetition(this.#tokens[this.#at])
    if (repeated === undefined) return part
    const [least, most] = repeated
    const end = this.#at + 1
    const copies = Math.min(mostCopies, Number.isFinite(most) ? Math.max(most, 1) : Math.max(least, 1))
    const needed = Math.min(least, copies)
    let whole: Part = nothing
    for (let copy = 0; copy < copies && this.atoms.length <= mostAtoms; copy++) {
      this.#at = start
      const next = copy === 0 ? part : this.#atom()
      if (copy === copies - 1 && !Number.isFinite(most)) this.#link(next.last, next.first)
      whole = this.#join(whole, copy < needed ? next : { ...next, nullable: true })
    }
    this.#at = end
    if (this.#tokens[end] === '?') this.#at += 1 // lazy: the same ways in another order
    return most === 0 ? nothing : whole
  }

  #atom(): Part {
    const token = this.#tokens[this.#at] ?? ''
    this.#at += 1
    if (token.startsWith('(')) {
      const inner = this.#alternatives()
      this.#at += 1 // the closing parenthesis
      return /^\(\?<?[=!]/.test(token) ? nothing : inner
    }
    if (/^(?:[\^$]|\\[bB]|\\[1-9k].*)$/.test(token)) return nothing
    const matcher = new RegExp(token, 'u')
    this.atoms.push(Uint8Array.from(this.#sample, (character) => Number(matcher.test(character))))
    this.follow.push(new Map())
    const position = this.atoms.length - 1
    return { nullable: false, first: [position], last: [position] }
  }

  #join(before: Part, after: Part): Part {
    this.#link(before.last, after.first)
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    }
  }

  #link(from: readonly number[], to: readonly number[]): void {
    for (const one of from) {
      const next = this.follow[one]
      for (const other of to) next?.set(other, (next.get(other) ?? 0) + 1)
    }
  }
}

/** Groups, classes, escapes, repetitions and single characters. */
const token =
  /\((?:\?(?:<?[=!]|:|<[^>]*>|[a-z-]*:))?|\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[dD][89aAbB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[pP]\{[^}]*\}|k<[^>]*>|\d+|[\s\S])|\{\d+(?:,\d*)?\}|[\s\S]/gu

const common = [
  ...' \t\n',
  ...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  ...'0159abcefgmnorstxzABEFMNRSTZ',
  ...'éß中😀',
]

function repetition(text = ''): readonly [least: number, most: number] | undefined {
  if (text === '*') return [0, Number.POSITIVE_INFINITY]
  if (text === '+') return [1, Number.POSITIVE_INFINITY]
  if (text === '?') return [0, 1]
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(text) ?? []
  if (least === undefined) return undefined
  if (!comma) return [Number(least), Number(least)]
  return [Number(least), most ? Number(most) : Number.POSITIVE_INFINITY]
}
