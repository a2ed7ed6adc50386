/** The reserved metadata bag of params. */

import { isObject } from '../support/values.js'
import type { Meta } from './types.js'

/** The key by which a request says its revision. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion'

export function metaOf(params: unknown): Meta | undefined {
  const meta = isObject(params) ? params._meta : undefined
  return isObject(meta) ? meta : undefined
}
