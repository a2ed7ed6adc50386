/** Files that a call names by the URI of a resource of this server: read as the same caller would read them. */

import { brandOf, type McpError } from '../../errors/errors.js'
import { readResource } from '../../methods/resources.js'
import type { MethodExchange } from '../../methods/services.js'
import { fromBase64 } from '../../support/base64.js'
import type { Upload } from './upload.js'

/** `undefined`: there is none that this caller may see. @throws McpError as reading it does. */
export async function readLinked(exchange: MethodExchange, uri: string): Promise<Upload | undefined> {
  const request = { ...exchange.request, params: { uri } }
  try {
    const { result } = await readResource(exchange.inner(request))
    const [first] = result.contents
    if (first === undefined) return undefined
    const bytes =
      first.blob === undefined ? new TextEncoder().encode(first.text ?? '') : fromBase64(first.blob)
    return bytes && { bytes, mimeType: first.mimeType, filename: undefined }
  } catch (error) {
    const isMissing =
      brandOf(error) === 'mcp' && (error as McpError).code === exchange.revision.resourceNotFound
    if (isMissing) return undefined
    throw error
  }
}
