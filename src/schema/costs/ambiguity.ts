/** Finds patterns that a backtracking matcher, as every JavaScript engine has, may take exponential time for. */

import { type Automaton, automatonOf } from './pattern-positions.js'

/** Larger products are left alone: no pattern that people write has one. */
const mostEdges = 400_000

/** True where some text can be read in two ways, over and over: `(a+)+`, `(a|a)*`, `(\w{2,4})+`. */
export function isExponential(pattern: string): boolean {
  const automaton = automatonOf(pattern)
  return automaton !== undefined && (hasDoubleWay(automaton) || hasTwoLoops(automaton))
}

/** Two ways lead from one atom to another, and back. */
function hasDoubleWay({ atoms, follow }: Automaton): boolean {
  const circles = circlesOf(atoms.length, (position) => [...(follow[position]?.keys() ?? [])])
  return circles.some((circle) =>
    circle.some((from) => [...(follow[from] ?? [])].some(([to, ways]) => ways > 1 && circle.includes(to))),
  )
}

/** Two walks with the same characters leave an atom and meet there again. */
function hasTwoLoops({ atoms, follow }: Automaton): boolean {
  const size = atoms.length
  let edges = 0
  const pairs = circlesOf(size * size, (pair) => {
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
  return pairs.some((circle) => circle.some(isDiagonal) && !circle.every(isDiagonal))
}

function overlap(one: Uint8Array = empty, other: Uint8Array = empty): boolean {
  return one.some((matches, index) => matches === 1 && other[index] === 1)
}

const empty = new Uint8Array()

/** The groups of states that lead to each other and to themselves (Tarjan's algorithm, without recursion). */
function circlesOf(size: number, edgesOf: (state: number) => readonly number[]): number[][] {
  const order = new Int32Array(size)
  const lowest = new Int32Array(size)
  const isOpen = new Uint8Array(size)
  const open: number[] = []
  const circles: number[][] = []
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
      const circle = open.splice(open.lastIndexOf(state))
      for (const one of circle) isOpen[one] = 0
      if (circle.length > 1 || targets.includes(state)) circles.push(circle)
    }
  }
  return circles
}

interface Frame {
  readonly state: number
  readonly targets: readonly number[]
  next: number
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0 // never missing
}
