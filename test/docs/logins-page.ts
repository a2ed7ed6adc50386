/** docs/logins.md as a program: each recipe is an app of its own, and the page hands them over in order. */

import type { Page } from './programs.js'

export const loginsPage: Page = {
  path: 'docs/logins.md',
  takes: `import { secret, sessionKey, type User, users } from '../preludes/logins.js'`,
  order([router = '', ...recipes]) {
    const hoisted = recipes.flatMap((recipe) => recipe.match(ofTheFile) ?? [])
    const bodies = recipes.map((recipe) => `{\n${recipe.replace(ofTheFile, '')}\napps.push(app)\n}`)
    return [...hoisted, router, 'export const apps: unknown[] = []', ...bodies]
  },
}

/** Imports and augmentations cannot stand in a block. */
const ofTheFile = /^(?:import .*|declare module '(?!mcp-router').*\n(?:[ }].*\n)*)/gm
