/**
 * Keeps stdout for the protocol: whatever else this process writes there arrives at stderr. What cannot be caught from
 * here: child processes and workers that write to the inherited descriptor themselves, and native code.
 */

import { Console } from 'node:console'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

type Write = typeof process.stdout.write

interface Protection {
  /** How many asked for it, and have not let go. */
  users: number
  /** Writes to stdout all the same. */
  readonly write: Write
  readonly undo: () => void
}

// Two copies of the package, as of both module kinds, must not take each other for a stranger.
const key = Symbol.for('mcp-router.stdout')
const held = globalThis as { [key]?: Protection | undefined }

/**
 * From now on what anything but `serveStdio()` writes to stdout is written to stderr: `console`, `process.stdout`, and
 * `node:fs` on descriptor 1, as loggers use it. Call it before the modules that may write are imported; `serveStdio()`
 * does it by itself while it runs. Returns a way to end that.
 */
export function protectStdout(): () => void {
  held[key] ??= protect()
  held[key].users += 1
  let over = false
  return () => {
    const protection = held[key]
    if (over || protection === undefined) return
    over = true
    protection.users -= 1
    if (protection.users > 0) return
    held[key] = undefined
    protection.undo()
  }
}

/** What writes to stdout itself, protected or not. */
export function stdoutWriter(): Write {
  return held[key]?.write ?? process.stdout.write.bind(process.stdout)
}

function protect(): Protection {
  // Touched first: it keeps the functions of `fs` that it needs.
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const replaced = [
    replace(stdout, 'write', ((...args: Parameters<Write>) => stderr.write(...args)) as Write),
    replace(stdout as NodeJS.WriteStream, 'end', endOf(stdout, stderr)),
    ...toDescriptor.map((name) =>
      replace(fs, name, elsewhere(fs[name] as (...args: never[]) => unknown) as never),
    ),
    ...replaceConsole(stderr),
  ]
  syncBuiltinESMExports()
  const undo = (): void => {
    for (const restore of replaced) restore()
    syncBuiltinESMExports()
  }
  return { users: 0, write, undo }
}

/** The functions of `fs` whose first argument may be a descriptor. */
const toDescriptor = [
  'write',
  'writeSync',
  'writev',
  'writevSync',
  'writeFile',
  'writeFileSync',
  'appendFile',
  'appendFileSync',
] as const

function elsewhere(original: (...args: never[]) => unknown): (...args: unknown[]) => unknown {
  const redirected = function (this: unknown, target: unknown, ...args: unknown[]): unknown {
    return original.apply(this, [target === 1 ? 2 : target, ...args] as never[])
  }
  // Among them what `util.promisify` makes of it.
  return Object.defineProperties(redirected, Object.getOwnPropertyDescriptors(original))
}

/** A pipe that is at its end would end stdout, and the protocol with it. */
function endOf(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): typeof stdout.end {
  return ((...args: unknown[]) => {
    const done = args.findLast((arg) => typeof arg === 'function') as (() => void) | undefined
    if (args[0] === undefined || args[0] === null || args[0] === done) done?.()
    else stderr.write(args[0] as string, () => done?.())
    return stdout
  }) as typeof stdout.end
}

/** Elsewhere than on Node, `console` does not write through `process.stdout`. */
function replaceConsole(stderr: NodeJS.WriteStream): (() => void)[] {
  const other = new Console({ stdout: stderr, stderr }) as unknown as Record<string, unknown>
  const target = console as unknown as Record<string, unknown>
  return writing.map((name) => replace(target, name, other[name]))
}

const writing = [
  'log',
  'info',
  'debug',
  'dir',
  'dirxml',
  'table',
  'group',
  'groupCollapsed',
  'groupEnd',
  'count',
  'countReset',
  'time',
  'timeLog',
  'timeEnd',
]

/** Puts back what was there, unless somebody else has replaced it since. */
function replace<T extends object, K extends keyof T>(target: T, name: K, value: T[K]): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true })
  return () => {
    if (target[name] !== value) return
    if (before === undefined) delete target[name]
    else Object.defineProperty(target, name, before)
  }
}
