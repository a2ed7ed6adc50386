/**
 * Reserves stdout for the protocol: everything else that this process writes to stdout goes to stderr. Output of child
 * processes and workers that write to the inherited descriptor themselves, and of native code, can't be redirected.
 */

import { Console } from 'node:console'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

type Write = typeof process.stdout.write

interface Protection {
  /** How many callers need the protection. */
  users: number
  /** Writes to the real stdout. */
  readonly write: Write
  readonly undo: () => void
}

// Shared by all copies of the package, such as its ES module and CommonJS builds: a second copy must not redirect the
// first.
const key = Symbol.for('mcp-router.stdout')
const globalState = globalThis as { [key]?: Protection | undefined }

/**
 * Redirects to stderr everything that is written to stdout, except by `serveStdio()`: through `console`,
 * `process.stdout`, and `node:fs` with descriptor 1, which loggers use. Call it before importing modules that may
 * write. `serveStdio()` calls it by itself while it runs. Returns a function that ends the redirection.
 */
export function protectStdout(): () => void {
  globalState[key] ??= protect()
  globalState[key].users += 1
  let released = false
  return () => {
    const protection = globalState[key]
    if (released || protection === undefined) return
    released = true
    protection.users -= 1
    if (protection.users > 0) return
    globalState[key] = undefined
    protection.undo()
  }
}

/** Returns a function that writes to the real stdout, whether or not it's protected. */
export function stdoutWriter(): Write {
  return globalState[key]?.write ?? process.stdout.write.bind(process.stdout)
}

function protect(): Protection {
  // Access `process.stdout` first: its initialization stores the original functions of `fs`.
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const replaced = [
    replace(stdout, 'write', ((...args: Parameters<Write>) => stderr.write(...args)) as Write),
    replace(stdout as NodeJS.WriteStream, 'end', replacementEnd(stdout, stderr)),
    ...descriptorFunctions.map((name) =>
      replace(fs, name, redirectDescriptor(fs[name] as (...args: never[]) => unknown) as never),
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
const descriptorFunctions = [
  'write',
  'writeSync',
  'writev',
  'writevSync',
  'writeFile',
  'writeFileSync',
  'appendFile',
  'appendFileSync',
] as const

function redirectDescriptor(original: (...args: never[]) => unknown): (...args: unknown[]) => unknown {
  const redirected = function (this: unknown, target: unknown, ...args: unknown[]): unknown {
    return original.apply(this, [target === 1 ? 2 : target, ...args] as never[])
  }
  // Copies `util.promisify.custom`, among others.
  return Object.defineProperties(redirected, Object.getOwnPropertyDescriptors(original))
}

/** Creates a replacement for `stdout.end()`: a pipe that ends would otherwise end stdout, and the protocol with it. */
function replacementEnd(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): typeof stdout.end {
  return ((...args: unknown[]) => {
    const done = args.findLast((arg) => typeof arg === 'function') as (() => void) | undefined
    if (args[0] === undefined || args[0] === null || args[0] === done) done?.()
    else stderr.write(args[0] as string, () => done?.())
    return stdout
  }) as typeof stdout.end
}

/** Replaces methods of `console`, which doesn't write through `process.stdout` on runtimes other than Node. */
function replaceConsole(stderr: NodeJS.WriteStream): (() => void)[] {
  const other = new Console({ stdout: stderr, stderr }) as unknown as Record<string, unknown>
  const target = console as unknown as Record<string, unknown>
  return consoleMethods.map((name) => replace(target, name, other[name]))
}

const consoleMethods = [
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

/** Replaces a property. Returns a function that restores it, unless other code has replaced it since. */
function replace<T extends object, K extends keyof T>(target: T, name: K, value: T[K]): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true })
  return () => {
    if (target[name] !== value) return
    if (before === undefined) delete target[name]
    else Object.defineProperty(target, name, before)
  }
}
