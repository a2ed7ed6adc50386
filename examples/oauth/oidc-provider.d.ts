/** The part of oidc-provider that this example uses; the package has no types of its own. */

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Interaction {
    uid: string
    params: { client_id: string; redirect_uri: string; scope?: string }
    prompt: {
      name: 'login' | 'consent'
      details: { missingOIDCScope?: string[]; missingResourceScopes?: Record<string, string[]> }
    }
    session?: { accountId: string }
    grantId?: string
  }

  export interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export const errors: { InvalidTarget: new () => Error }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly Client: { find(id: string): Promise<{ clientName?: string } | undefined> }
    readonly Grant: {
      new (of: { accountId: string; clientId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    callback(): (req: IncomingMessage, res: ServerResponse) => void
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>
    interactionFinished(
      req: IncomingMessage,
      res: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>
  }
}
