/** The list of all items, with search and filter. */

import { useDeferredValue, useMemo, useState } from 'react'
import { type Filter, filterItems, hint, type Item } from './catalog.js'
import { Choices } from './choices.js'

const names: Readonly<Record<Filter, string>> = {
  all: 'All',
  tool: 'Tools',
  resource: 'Resources',
  prompt: 'Prompts',
  readOnly: 'Read-only',
  destructive: 'Destructive',
  route: 'Routes',
}

interface ItemListProps {
  readonly items: readonly Item[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

export function ItemList({ items, chosen, onChoose }: ItemListProps) {
  const [typed, setTyped] = useState('')
  const [filter, setFilter] = useState<Filter>('all')
  const search = useDeferredValue(typed)
  const found = useMemo(() => filterItems(items, filter, search), [items, filter, search])
  return (
    <nav className="list" aria-label="Tools, resources and prompts">
      <label className="search">
        <span className="hidden">Search</span>
        <input
          type="search"
          placeholder="Search"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <Choices label="Filter" names={names} chosen={filter} onChoose={setFilter} />
      <output className="quiet">
        {found.length} of {items.length}
      </output>
      <ul>
        {found.map((item) => (
          <li key={item.id}>
            <button type="button" aria-current={item.id === chosen} onClick={() => onChoose(item.id)}>
              <span className={`dot ${item.kind}`} aria-hidden="true" />
              <span className="hidden">{item.kind} </span>
              <span className="key">{item.key}</span>
              {hint(item, 'destructiveHint') && <span className="tag bad">destructive</span>}
              <span className="about">{item.route ?? (item.title || item.description)}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
