/** Names the questions of one run: the same ones in every run that asks the same. */

import { runtime } from '#runtime'
import { toBase64Url } from '../support/base64.js'
import { canonicalJson } from './canonical-json.js'
import type { InputRequest } from './client-request.js'

export class RequestKeys {
  readonly #counts = new Map<string, number>()

  /** The same question again is another one; a changed question too. */
  nameOf(request: InputRequest): string {
    const digest = toBase64Url(runtime.sha256(canonicalJson(request)).subarray(0, 9))
    const count = (this.#counts.get(digest) ?? 0) + 1
    this.#counts.set(digest, count)
    return count === 1 ? digest : `${digest}.${count}`
  }
}
