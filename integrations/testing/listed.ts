/** The items of lists, as sent by the router. Fields that are newer than the negotiated revision are missing. */

import type { Annotations, Icon, Meta } from '../../src/internal.js'

interface Listed {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly icons?: readonly Icon[] | undefined
  readonly _meta?: Meta | undefined
}

/** An item of `tools/list`. */
export interface ListedTool extends Listed {
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined
  readonly annotations?:
    | {
        readonly title?: string | undefined
        readonly readOnlyHint?: boolean | undefined
        readonly destructiveHint?: boolean | undefined
        readonly idempotentHint?: boolean | undefined
        readonly openWorldHint?: boolean | undefined
      }
    | undefined
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined
}

/** An item of `resources/list`. */
export interface ListedResource extends Listed {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly size?: number | undefined
  readonly annotations?: Annotations | undefined
}

/** An item of `resources/templates/list`. */
export interface ListedTemplate extends Listed {
  readonly uriTemplate: string
  readonly mimeType?: string | undefined
  readonly annotations?: Annotations | undefined
}

/** An item of `prompts/list`. */
export interface ListedPrompt extends Listed {
  readonly arguments?:
    | readonly {
        readonly name: string
        readonly description?: string | undefined
        readonly required?: boolean | undefined
      }[]
    | undefined
}
