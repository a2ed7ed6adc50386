/** The transport to a router in this process. */

import type { McpRouter } from '../../../src/adapter.js'
import {
  isObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../../../src/internal.js'
import { cancelledNotification, type SendOptions, type Wire } from './wire.js'

type Caller = NonNullable<Parameters<McpRouter<object>['handle']>[1]>

export class RouterWire implements Wire {
  readonly #router: McpRouter<object>
  readonly #caller: Caller
  #onMessage: SendOptions['onMessage'] = () => {}

  constructor(router: McpRouter<object>, caller: Caller) {
    this.#router = router
    this.#caller = {
      ...caller,
      send: (message) => {
        this.#onMessage(copyAsJson(message))
        return true
      },
    }
  }

  negotiated(version: string): void {
    this.#caller.protocolVersion = version
  }

  async request(message: JsonRpcRequest, { onMessage, signal }: SendOptions): Promise<JsonRpcResponse> {
    signal?.throwIfAborted()
    this.#onMessage = onMessage
    if (message.method === 'initialize') this.#setClient(message)
    const cancel = (): void => void this.#router.handle(cancelledNotification(message), this.#caller)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const answer = await this.#router.handle(copyAsJson(message), this.#caller)
      signal?.throwIfAborted()
      // Only a cancelled request has no response, and the line above has handled that.
      return copyAsJson(answer as JsonRpcResponse)
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  async post(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    await this.#router.handle(copyAsJson(message), this.#caller)
  }

  async close(): Promise<void> {}

  #setClient({ params }: JsonRpcRequest): void {
    const capabilities = isObject(params?.capabilities) ? params.capabilities : {}
    this.#caller.client = { name: undefined, version: undefined, capabilities }
  }
}

/** Copies a message through JSON, as if it were sent over a network. */
function copyAsJson<T extends object>(message: T): T {
  return JSON.parse(JSON.stringify(message)) as T
}
