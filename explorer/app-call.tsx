/** Calls that the page of an MCP App makes: which of them may run, and which the person has to allow first. */

import { McpError, type Params } from '../src/internal.js'
import { isObject } from '../src/support/values.js'
import { hint, type Item } from './catalog.js'
import { JsonTree } from './json-tree.js'
import type { Ask, QuestionProps } from './questions.js'

export interface AppCallOptions {
  readonly items: readonly Item[]
  readonly ask: Ask
  /** The page of the app. */
  readonly uri: string
}

/** Resolves when the call may run. Rejects where the tool is not for apps, or the person does not allow it. */
export async function allowCall(params: Params, { items, ask, uri }: AppCallOptions): Promise<void> {
  const { name, arguments: given = {} } = params
  const item = items.find(({ kind, key }) => kind === 'tool' && key === name)
  if (item !== undefined && !isForApps(item))
    throw new McpError(-32602, `the tool ${String(name)} is not for apps (\`visibility\`)`)
  if (item !== undefined && hint(item, 'readOnlyHint')) return
  const destructive = item !== undefined && hint(item, 'destructiveHint')
  await ask({ method: 'tools/call', params: { name, arguments: given, uri, destructive } })
}

/** MCP Apps: a tool whose `visibility` leaves out `app` belongs to the model alone. */
function isForApps({ listed }: Item): boolean {
  const meta = isObject(listed._meta) ? listed._meta : {}
  const visibility = isObject(meta.ui) ? meta.ui.visibility : undefined
  return !Array.isArray(visibility) || visibility.includes('app')
}

export function AppCall({ params, answer, refuse }: QuestionProps) {
  const { name, arguments: given, uri, destructive } = params
  return (
    <>
      <p>
        <code>{String(uri)}</code> wants to call <code>{String(name)}</code>, which is not read-only
        {destructive === true && <span className="tag bad">destructive</span>}
      </p>
      <JsonTree value={given} />
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

/** Keys that were meant for the app must not allow anything. React's `autoFocus` comes before the dialog is shown. */
function focusFirst(button: HTMLButtonElement | null): void {
  button?.setAttribute('autofocus', '')
}

export function refused(): Error {
  return new McpError(-32000, 'The person refused the call')
}
