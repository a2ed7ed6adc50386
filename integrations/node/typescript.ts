/** Recognizes TypeScript files, and Node's errors for TypeScript that it can't run. */

export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file)
}

/** Whether Node failed because this file, or one it imports, is TypeScript that needs a loader. */
export function needsTypeScript(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { code, message } = error as Error & { code?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND') return /\.[cm]?js' imported from .*\.[cm]?tsx?$/.test(message)
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return /"\.[cm]?tsx?"/.test(message)
  return code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
}
