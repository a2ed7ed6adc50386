/** What `init` finds in the folder that it is started in. */

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../../../src/internal.js'
import { LoadError } from '../exit-codes.js'
import type { Style } from './source.js'
import { starters } from './starters.js'

export interface Project {
  readonly name: string
  readonly version: string
  readonly style: Style
  /** The frameworks that it depends on. */
  readonly frameworks: readonly string[]
  /** Whether a package is in package.json. */
  readonly has: (name: string) => boolean
  /** Where its source is: `src` or nothing. */
  readonly folder: string
  /** The file that looks like its app, below the folder of the project. */
  readonly app: string | undefined
}

const appNames = ['app', 'server', 'index', 'main']
const endings = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs']

/** @throws LoadError where package.json is no JSON */
export function readProject(root: string): Project {
  const { name, version, type, dependencies, devDependencies } = readPackage(root)
  const depends = { ...objectOf(devDependencies), ...objectOf(dependencies) }
  const has = (one: string): boolean => Object.hasOwn(depends, one)
  const folder = existsSync(path.join(root, 'src')) ? 'src' : ''
  return {
    name: typeof name === 'string' && name !== '' ? name : path.basename(root),
    version: typeof version === 'string' ? version : '0.0.0',
    style: {
      isTypeScript: existsSync(path.join(root, 'tsconfig.json')) || has('typescript'),
      isModule: type === 'module',
    },
    frameworks: Object.keys(starters).filter(has),
    has,
    folder,
    app: findApp(root),
  }
}

function readPackage(root: string): Record<string, unknown> {
  const file = path.join(root, 'package.json')
  if (!existsSync(file)) return {}
  try {
    return objectOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new LoadError(`${file}: expected JSON; ${(error as Error).message}`)
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function findApp(root: string): string | undefined {
  return ['', 'src']
    .flatMap((folder) =>
      appNames.flatMap((name) => endings.map((ending) => path.join(folder, `${name}.${ending}`))),
    )
    .find((file) => existsSync(path.join(root, file)))
}
