/** Reads the project in the folder that `init` is started in. */

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
  /** The supported frameworks among its dependencies. */
  readonly frameworks: readonly string[]
  /** Whether a package is in package.json. */
  readonly has: (name: string) => boolean
  /** The source folder: `src`, or empty for the project folder. */
  readonly folder: string
  /** The file that is probably its app, relative to the project folder. */
  readonly app: string | undefined
}

const appNames = ['app', 'server', 'index', 'main']
const extensions = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs']

/** Reads package.json and looks for the source folder and the app. @throws LoadError for invalid JSON */
export function readProject(root: string): Project {
  const { name, version, type, dependencies, devDependencies } = readPackage(root)
  const depends = { ...objectOf(devDependencies), ...objectOf(dependencies) }
  const has = (dependency: string): boolean => Object.hasOwn(depends, dependency)
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
      appNames.flatMap((name) => extensions.map((extension) => path.join(folder, `${name}.${extension}`))),
    )
    .find((file) => existsSync(path.join(root, file)))
}
