/** How much a text takes. */

const encoder = new TextEncoder()

/** As UTF-8. */
export function bytesOf(text: string): number {
  return encoder.encode(text).length
}
