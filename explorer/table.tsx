/** Shows an array of objects as a table. */

import { isObject } from '../src/support/values.js'

/** How many rows and columns are shown. */
const maxRows = 500
const maxColumns = 20

type Row = Readonly<Record<string, unknown>>

/** Returns an array of objects, or the only array of an object if it has such; `undefined` for anything else. */
export function rowsOf(value: unknown): readonly Row[] | undefined {
  const lists = isObject(value) ? Object.values(value).filter(Array.isArray) : []
  const list = Array.isArray(value) ? value : lists.length === 1 ? lists[0] : undefined
  return list !== undefined && list.length > 0 && list.every(isObject) ? list : undefined
}

export function Table({ value }: { value: unknown }) {
  const rows = rowsOf(value) ?? []
  const columns = [...new Set(rows.slice(0, maxRows).flatMap((row) => Object.keys(row)))].slice(0, maxColumns)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard
    <figure className="scroll" tabIndex={0} aria-label="The response as a table">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{cell(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxRows && <p className="quiet">… {rows.length - maxRows} more</p>}
    </figure>
  )
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
