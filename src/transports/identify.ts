/** Who is calling, as the mount options `user` and `context` say it. */

import type { Auth, Identity } from '../context.js'
import { isThenable, whenReady } from '../thenable.js'
import type { PeerOptions } from './http-peer.js'
import { Redaction } from './redaction.js'
import type { HttpRequest } from './shapes.js'

const none: readonly never[] = []

/** Asks the host: both functions may be asynchronous, most are not. `context` is asked once there is a user. */
export function identify(options: PeerOptions, request: HttpRequest): Identity | Promise<Identity> {
  const auth = options.auth?.of(request)
  const asked: Asked = { options, request, auth }
  const { caller } = request
  const user = caller !== undefined && 'user' in caller ? caller.user : askHost('user()', asked, userOf)
  return whenReady(user, withContext, asked)
}

interface Asked {
  readonly options: PeerOptions
  readonly request: HttpRequest
  readonly auth: Auth | undefined
}

function userOf({ options, request: { raw }, auth }: Asked): unknown {
  return options.user(raw, auth)
}

function contextOf({ options, request: { raw } }: Asked): unknown {
  return options.context?.(raw)
}

function withContext(user: unknown, asked: Asked): Identity | Promise<Identity> {
  const context = asked.request.caller?.context ?? askHost('context()', asked, contextOf)
  // Logins and decorated requests say `null` for nobody; there is one word for it here.
  const found = user ?? undefined
  if (!isThenable(context)) return identityOf(found, context, asked)
  return Promise.resolve(context).then((known) => identityOf(found, known, asked))
}

function identityOf(user: unknown, context: unknown, { auth }: Asked): Identity {
  // Where no token was checked nobody has any.
  return { user, auth, scopes: auth?.scopes ?? none, context: context as object | undefined }
}

/** What it throws must not take the token along that it was given. */
function askHost(owner: string, asked: Asked, ask: (asked: Asked) => unknown): unknown {
  const token = asked.auth?.token
  return token === undefined ? ask(asked) : askWith(token, owner, () => ask(asked))
}

function askWith(token: string, owner: string, ask: () => unknown): unknown {
  const refuse = (error: unknown): never => {
    throw new Redaction(token).thrown(error, owner)
  }
  try {
    const value = ask()
    return isThenable(value) ? Promise.resolve(value).catch(refuse) : value
  } catch (error) {
    return refuse(error)
  }
}
