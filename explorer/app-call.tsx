/** Decides whether a call by the page of an MCP App may run at once, or only after the user allows it. */

import { McpError, type Params } from '../src/internal.js'
import { isObject } from '../src/support/values.js'
import { hint, type Item } from './catalog.js'
import { JsonTree } from './json-tree.js'
import type { Ask, QuestionProps } from './questions.js'

export interface AppCallOptions {
  readonly items: readonly Item[]
  readonly ask: Ask
  /** The URI of the app's page. */
  readonly uri: string
}

/** Resolves when the call may run. Rejects if the tool isn't for apps, or the user refuses the call. */
export async function allowCall(params: Params, { items, ask, uri }: AppCallOptions): Promise<void> {
  const { name, arguments: args = {} } = params
  const item = items.find(({ kind, key }) => kind === 'tool' && key === name)
  if (item !== undefined && !isForApps(item))
    throw new McpError(-32602, `the tool ${String(name)} is not for apps (\`visibility\`)`)
  if (item !== undefined && hint(item, 'readOnlyHint')) return
  const destructive = item !== undefined && hint(item, 'destructiveHint')
  await ask({ method: 'tools/call', params: { name, arguments: args, uri, destructive } })
}

/** Whether apps may call the tool. MCP Apps: a tool whose `visibility` lacks `app` is for the model only. */
function isForApps({ listed }: Item): boolean {
  const meta = isObject(listed._meta) ? listed._meta : {}
  const visibility = isObject(meta.ui) ? meta.ui.visibility : undefined
  return !Array.isArray(visibility) || visibility.includes('app')
}

export function AppCall({ params, answer, refuse }: QuestionProps) {
  const { name, arguments: args, uri, destructive } = params
  return (
    <>
      <p>
        <code>{String(uri)}</code> wants to call <code>{String(name)}</code>, which is not read-only
        {destructive === true && <span className="tag bad">destructive</span>}
      </p>
      <JsonTree value={args} />
      <div className="row">
        <button ref={focusFirst} type="button" onClick={() => refuse(refused())}>
          Refuse
        </button>
        <button type="button" onClick={() => answer({})}>
          Call {String(name)}
        </button>
      </div>
    </>
  )
}

/**
 * Focuses the button that refuses, so that keys typed into the app can't allow the call. React's `autoFocus` would run
 * before the dialog is shown.
 */
function focusFirst(button: HTMLButtonElement | null): void {
  button?.setAttribute('autofocus', '')
}

export function refused(): Error {
  return new McpError(-32000, 'The user refused the call')
}
