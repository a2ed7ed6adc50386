/** Finds the files of a directory. Names are taken part by part, so separators of the platform do not matter. */

import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { type FilePath, type Folder, isIgnored, kinds, loginFile, withoutExtension } from './conventions.js'

export interface FoundFile {
  readonly folder: Folder
  /** Below that folder. */
  readonly path: FilePath
  /** Where it is. */
  readonly file: string
  /** How messages name it: `tools/notes/search.ts`. */
  readonly label: string
  /** Another one after each change. */
  readonly stamp: string
  /** Nothing is in it, or not yet. */
  readonly isEmpty: boolean
}

export interface Scan {
  readonly files: readonly FoundFile[]
  /** All that were looked into. */
  readonly folders: readonly string[]
}

/** A folder on the way, and the real places of those that lead to it. */
interface Place {
  readonly folder: Folder
  readonly directory: string
  readonly path: FilePath
  readonly above: readonly string[]
}

/** @throws Error for a directory that cannot be read, holds none of the three folders, or holds a login. */
export async function scan(directory: string): Promise<Scan> {
  const names = await readdir(directory)
  for (const name of names) assertNoLogin(name)
  const folders = (Object.keys(kinds) as Folder[]).filter((folder) => names.includes(folder))
  assertMeant(names, folders)
  const scans = await Promise.all(
    folders.map((folder) => walk({ folder, directory: path.join(directory, folder), path: [], above: [] })),
  )
  const all = together(scans)
  return { files: all.files, folders: [directory, ...all.folders] }
}

/**
 * Refuses the file that alone protects an endpoint in frameworks with the same layout. Ignoring it would leave the
 * endpoint open.
 */
function assertNoLogin(name: string): void {
  if (!loginFile.test(name)) return
  throw new Error(
    `expected no ${name} beside ${Object.keys(kinds).join('/, ')}/: it protects nothing here. ` +
      'Check tokens with the mount option `auth`, or put your login in front of the mount, and delete the file; ' +
      `if it is a helper, call it _${name}`,
  )
}

/** A folder called `tool` would be passed over, and nobody would know why. */
function assertMeant(names: readonly string[], folders: readonly Folder[]): void {
  const missing = (Object.keys(kinds) as Folder[]).filter((folder) => !folders.includes(folder))
  for (const folder of missing) {
    const slip = names.find((name) => [folder, kinds[folder] as string].includes(name.toLowerCase()))
    if (slip !== undefined) throw new Error(`expected the folder to be called ${folder}/, found ${slip}/`)
  }
  if (folders.length === 0)
    throw new Error(`expected ${missing.join('/, ')}/ in it, one of them at least; found none`)
}

async function walk(place: Place): Promise<Scan> {
  const real = await realpath(place.directory)
  // A link that leads back to where we come from has no end.
  if (place.above.includes(real)) return { files: [], folders: [] }
  const entries = await readdir(place.directory, { withFileTypes: true })
  const inside = { ...place, above: [...place.above, real] }
  const scans = await Promise.all(entries.sort(byName).map((entry) => look(inside, entry)))
  const { files, folders } = together(scans)
  return { files, folders: [place.directory, ...folders] }
}

async function look(place: Place, entry: Dirent): Promise<Scan> {
  const { name } = entry
  if (!entry.isSymbolicLink() && isIgnored(name, entry.isDirectory())) return nothing
  const file = path.join(place.directory, name)
  const stats = await stat(file, { bigint: true }).catch(() => undefined)
  // It went away meanwhile.
  if (stats === undefined && !entry.isSymbolicLink()) return nothing
  if (isIgnored(name, stats?.isDirectory() === true)) return nothing
  if (stats?.isDirectory()) return walk({ ...place, directory: file, path: [...place.path, name] })
  // A link that leads nowhere is told by whoever loads it.
  const stamp = stats === undefined ? '' : `${stats.mtimeNs} ${stats.size} ${stats.ino}`
  const label = [place.folder, ...place.path, name].join('/')
  const parts = [...place.path, withoutExtension(name)]
  const found = { folder: place.folder, path: parts, file, label, stamp, isEmpty: stats?.size === 0n }
  return { files: [found], folders: [] }
}

const nothing: Scan = { files: [], folders: [] }

function together(scans: readonly Scan[]): Scan {
  return {
    files: scans.flatMap(({ files }) => files),
    folders: scans.flatMap(({ folders }) => folders),
  }
}

/** The same order on every machine. */
function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1
}
