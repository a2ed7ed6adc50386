/** JSON as a collapsible tree. */

import type { ReactNode } from 'react'

/** How many members of one array or object are shown. */
const maxMembers = 200

export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const label = name === undefined ? null : <span className="json-key">{name}: </span>
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-line">
        {label}
        <Scalar value={value} />
      </div>
    )
  }
  const members = Object.entries(value)
  const size = Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`
  return (
    <details className="json-node" open={depth < 2}>
      <summary>
        {label}
        <span className="json-size">{size}</span>
      </summary>
      {members.slice(0, maxMembers).map(([key, member]) => (
        <JsonTree key={key} name={key} value={member} depth={depth + 1} />
      ))}
      {members.length > maxMembers && <div className="json-line">… {members.length - maxMembers} more</div>}
    </details>
  )
}

function Scalar({ value }: { value: unknown }): ReactNode {
  return (
    <span className={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value) ?? ''}</span>
  )
}
