/** What a tool may be called. */

/**
 * Revision 2025-11-25 and later, tool names: 1 to 128 characters of A-Z a-z 0-9 _ - . Names that well-known clients
 * refuse are a warning. @throws TypeError
 */
export function checkToolName(name: string, warn: (message: string) => void): void {
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) {
    throw new TypeError(
      `tool "${name}": a tool's name is 1 to 128 letters, digits, "_", "-" and "."; got ${name.length} characters`,
    )
  }
  if (name.length > 60 || name.includes('.')) {
    warn(
      `tool "${name}": some clients refuse names with dots or over 60 characters (this one has ${name.length})`,
    )
  }
}
