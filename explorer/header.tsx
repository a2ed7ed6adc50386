/** The header: the server's name, version and instructions, and the choice of view, revision and roots. */

import { useEffect } from 'react'
import { isObject } from '../src/support/values.js'
import { Choices } from './choices.js'
import type { Connected } from './connection.js'
import { Roots } from './roots.js'
import type { Era } from './session.js'

export type View = 'explore' | 'activity' | 'connect'

const views: Readonly<Record<View, string>> = { explore: 'Explore', activity: 'Activity', connect: 'Connect' }

interface HeaderProps {
  readonly connected: Connected | undefined
  readonly era: Era
  readonly onEra: (era: Era) => void
  readonly roots: readonly string[]
  readonly onRoots: (roots: readonly string[]) => void
  readonly view: View
  readonly onView: (view: View) => void
}

export function Header({ connected, era, onEra, roots, onRoots, view, onView }: HeaderProps) {
  const { instructions } = connected?.session.server ?? {}
  const name = connected === undefined ? 'MCP explorer' : nameOf(connected)
  const { version } = connected === undefined ? {} : infoOf(connected)
  useEffect(() => {
    document.title = `${name} · MCP explorer`
  }, [name])
  return (
    <header className="top">
      <h1>{name}</h1>
      {typeof version === 'string' && <span className="quiet">{version}</span>}
      <Choices label="View" names={views} chosen={view} onChoose={onView} />
      <label>
        Protocol{' '}
        <select value={era} onChange={(event) => onEra(event.target.value as Era)}>
          <option value="modern">2026-07-28</option>
          <option value="legacy">2025-11-25</option>
        </select>
      </label>
      {connected !== undefined && <span className="quiet">speaks {connected.session.version}</span>}
      <Roots roots={roots} onRoots={onRoots} />
      {typeof instructions === 'string' && <p className="description">{instructions}</p>}
    </header>
  )
}

/** Returns the server's `serverInfo`, in either era. */
function infoOf({ session: { server } }: Connected): Readonly<Record<string, unknown>> {
  const inMeta = isObject(server._meta) ? server._meta['io.modelcontextprotocol/serverInfo'] : undefined
  return [server.serverInfo, inMeta].find(isObject) ?? {}
}

export function nameOf(connected: Connected): string {
  const { title, name } = infoOf(connected)
  return String(title ?? name ?? 'MCP explorer')
}
