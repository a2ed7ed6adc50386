/**
 * What `npm ci` asks of the lock files. `npm install` leaves optional packages out that its registry lacks; these are
 * added by hand, with `version`, `optional`, `os` and `cpu`, and stay.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = new URL('../../', import.meta.url)

describe.each(['package-lock.json', 'test/conformance/clients/package-lock.json'])('%s', (file) => {
  const text = readFileSync(fileURLToPath(new URL(file, root)), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }

  it('has every optional package, those of other platforms too', () => {
    const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([name]) => !placesOf(folder, name).some((place) => place in packages))
        .map(([name, wanted]) => `${name} ${wanted} of ${folder}`),
    )
    expect(missing).toEqual([])
  })

  it('names no registry', () => {
    const named = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)
    expect(named).toEqual([])
  })
})

/** Where Node would look for a package, from the folder of another one upwards. */
function placesOf(folder: string, name: string): string[] {
  const above = folder.lastIndexOf('/node_modules/')
  const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
  if (folder === '') return [place]
  return [place, ...placesOf(above < 0 ? '' : folder.slice(0, above), name)]
}
