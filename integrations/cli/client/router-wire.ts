/** A router in this process, spoken to as over a wire. */

import type { McpRouter } from '../../../src/adapter.js'
import {
  isObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../../../src/internal.js'
import { cancelled, type Sending, type Wire } from './wire.js'

type Caller = NonNullable<Parameters<McpRouter<object>['handle']>[1]>

export class RouterWire implements Wire {
  readonly #router: McpRouter<object>
  readonly #caller: Caller
  #hear: Sending['hear'] = () => {}

  constructor(router: McpRouter<object>, caller: Caller) {
    this.#router = router
    this.#caller = {
      ...caller,
      send: (said) => {
        this.#hear(asSent(said))
        return true
      },
    }
  }

  agree(version: string): void {
    this.#caller.protocolVersion = version
  }

  async request(message: JsonRpcRequest, { hear, signal }: Sending): Promise<JsonRpcResponse> {
    signal?.throwIfAborted()
    this.#hear = hear
    if (message.method === 'initialize') this.#introduce(message)
    const cancel = (): void => void this.#router.handle(cancelled(message), this.#caller)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const answer = await this.#router.handle(asSent(message), this.#caller)
      signal?.throwIfAborted()
      // One request has one answer, and none only where it was cancelled.
      return asSent(answer as JsonRpcResponse)
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  async post(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    await this.#router.handle(asSent(message), this.#caller)
  }

  async close(): Promise<void> {}

  #introduce({ params }: JsonRpcRequest): void {
    const capabilities = isObject(params?.capabilities) ? params.capabilities : {}
    this.#caller.client = { name: undefined, version: undefined, capabilities }
  }
}

/** As it would arrive over a wire. */
function asSent<T extends object>(message: T): T {
  return JSON.parse(JSON.stringify(message)) as T
}
