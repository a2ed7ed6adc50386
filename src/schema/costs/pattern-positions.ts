/**
 * Converts a regular expression to an automaton whose states are its characters and classes (Glushkov's construction).
 * Ignores assertions and limits repetitions, which is enough to detect ambiguous matching.
 */

/** A character or class, as the sample characters that it matches. */
export type Atom = Uint8Array

export interface Automaton {
  readonly atoms: readonly Atom[]
  /** For each atom, the number of ways to reach each next atom. */
  readonly follow: readonly ReadonlyMap<number, number>[]
}

interface Part {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

const nothing: Part = { nullable: true, first: [], last: [] }

/** Maximum number of copies of a repetition. */
const mostCopies = 4
/** Maximum number of atoms. Larger patterns aren't analyzed. */
const mostAtoms = 120

/**
 * Returns the automaton, or `undefined` if the pattern is too large.
 * @throws SyntaxError if the pattern is invalid.
 */
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

  /** Reads a term, once for each copy of a repetition. */
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
    if (this.#tokens[end] === '?') this.#at += 1 // lazy quantifier: same matches in another order
    return most === 0 ? nothing : whole
  }

  #atom(): Part {
    const token = this.#tokens[this.#at] ?? ''
    this.#at += 1
    if (token.startsWith('(')) {
      const inner = this.#alternatives()
      this.#at += 1 // closing parenthesis
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

/** Maximum number of edges in the product automaton. Patterns in practice have fewer. */
const mostEdges = 400_000

/** Whether a text can match repeatedly in two ways: `(a+)+`, `(a|a)*`, `(\w{2,4})+`. */
export function isExponential(pattern: string): boolean {
  const automaton = automatonOf(pattern)
  return automaton !== undefined && (hasParallelPaths(automaton) || hasTwoLoops(automaton))
}

/** Whether two paths lead from one atom to another in the same cycle. */
function hasParallelPaths({ atoms, follow }: Automaton): boolean {
  const cycles = cyclesOf(atoms.length, (position) => [...(follow[position]?.keys() ?? [])])
  return cycles.some((cycle) =>
    cycle.some((from) => [...(follow[from] ?? [])].some(([to, ways]) => ways > 1 && cycle.includes(to))),
  )
}

/** Whether two different paths with the same characters start and end at the same atom. */
function hasTwoLoops({ atoms, follow }: Automaton): boolean {
  const size = atoms.length
  let edges = 0
  const pairs = cyclesOf(size * size, (pair) => {
    const targets: number[] = []
    if (edges > mostEdges) return targets
    for (const one of follow[Math.floor(pair / size)]?.keys() ?? []) {
      for (const other of follow[pair % size]?.keys() ?? []) {
        edges += 1
        if (one === other || overlap(atoms[one], atoms[other])) targets.push(one * size + other)
      }
    }
    return targets
  })
  const isDiagonal = (pair: number): boolean => Math.floor(pair / size) === pair % size
  return pairs.some((cycle) => cycle.some(isDiagonal) && !cycle.every(isDiagonal))
}

function overlap(one: Uint8Array = empty, other: Uint8Array = empty): boolean {
  return one.some((matches, index) => matches === 1 && other[index] === 1)
}

const empty = new Uint8Array()

/** Returns the strongly connected components with a cycle (Tarjan's algorithm, iterative). */
function cyclesOf(size: number, edgesOf: (state: number) => readonly number[]): number[][] {
  const order = new Int32Array(size)
  const lowest = new Int32Array(size)
  const isOpen = new Uint8Array(size)
  const open: number[] = []
  const cycles: number[][] = []
  let count = 0
  const enter = (state: number): Frame => {
    count += 1
    order[state] = count
    lowest[state] = count
    isOpen[state] = 1
    open.push(state)
    return { state, targets: edgesOf(state), next: 0 }
  }
  for (let root = 0; root < size; root++) {
    if (order[root] !== 0) continue
    const frames = [enter(root)]
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { state, targets } = frame
      const target = targets[frame.next]
      frame.next += 1
      if (target !== undefined) {
        if (order[target] === 0) frames.push(enter(target))
        else if (isOpen[target] === 1) lowest[state] = Math.min(at(lowest, state), at(order, target))
        continue
      }
      frames.pop()
      const parent = frames.at(-1)?.state
      if (parent !== undefined) lowest[parent] = Math.min(at(lowest, parent), at(lowest, state))
      if (lowest[state] !== order[state]) continue
      const cycle = open.splice(open.lastIndexOf(state))
      for (const one of cycle) isOpen[one] = 0
      if (cycle.length > 1 || targets.includes(state)) cycles.push(cycle)
    }
  }
  return cycles
}

interface Frame {
  readonly state: number
  readonly targets: readonly number[]
  next: number
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0 // always in range
}
