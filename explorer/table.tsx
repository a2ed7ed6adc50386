/** Lists of records as a table. */

import { isObject } from '../src/support/values.js'

/** Rows and columns that are shown. */
const mostRows = 500
const mostColumns = 20

type Row = Readonly<Record<string, unknown>>

/** A list of objects, or an object whose one list is that; `undefined` for anything else. */
export function rowsOf(value: unknown): readonly Row[] | undefined {
  const lists = isObject(value) ? Object.values(value).filter(Array.isArray) : []
  const list = Array.isArray(value) ? value : lists.length === 1 ? lists[0] : undefined
  return list !== undefined && list.length > 0 && list.every(isObject) ? list : undefined
}

export function Table({ value }: { value: unknown }) {
  const rows = rowsOf(value) ?? []
  const columns = [...new Set(rows.slice(0, mostRows).flatMap((row) => Object.keys(row)))].slice(
    0,
    mostColumns,
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <figure className="scroll" tabIndex={0} aria-label="The answer as a table">
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
          {rows.slice(0, mostRows).map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{cell(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > mostRows && <p className="quiet">… {rows.length - mostRows} more</p>}
    </figure>
  )
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
