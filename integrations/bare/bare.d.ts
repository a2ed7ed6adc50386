/** The members of Bare and its packages that are used here. Their own types need types of further packages. */

declare const Bare: { exit(code?: number): never }

declare module 'bare-stdio' {
  const stdio: {
    readonly in: import('node:stream').Readable
    readonly out: import('node:stream').Writable
    readonly err: import('node:stream').Writable
  }
  export default stdio
}

declare module 'bare-crypto' {
  export function randomFillSync(bytes: Uint8Array): Uint8Array
}
