/** Finds the files of a directory. Works on single names, so path separators of the platform don't matter. */

import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { type FilePath, type Folder, isIgnored, kinds, loginFile, withoutExtension } from './conventions.js'

export interface FoundFile {
  readonly folder: Folder
  /** The path below `folder`. */
  readonly path: FilePath
  /** The full path. */
  readonly file: string
  /** The name in messages: `tools/notes/search.ts`. */
  readonly label: string
  /** A value that changes whenever the file changes. */
  readonly stamp: string
  /** Whether the file has no content, or none yet. */
  readonly isEmpty: boolean
}

export interface Scan {
  readonly files: readonly FoundFile[]
  /** All scanned folders. */
  readonly folders: readonly string[]
}

/** A folder to scan. */
interface FolderToScan {
  readonly folder: Folder
  readonly directory: string
  readonly path: FilePath
  /** The real paths of its parent folders. */
  readonly ancestors: readonly string[]
}

/** Scans a directory. @throws Error if it can't be read, has none of the three folders, or contains an auth file. */
export async function scan(directory: string): Promise<Scan> {
  const names = await readdir(directory)
  for (const name of names) assertNoAuthFile(name)
  const folders = (Object.keys(kinds) as Folder[]).filter((folder) => names.includes(folder))
  assertFolders(names, folders)
  const scans = await Promise.all(
    folders.map((folder) =>
      walk({ folder, directory: path.join(directory, folder), path: [], ancestors: [] }),
    ),
  )
  const all = merge(scans)
  return { files: all.files, folders: [directory, ...all.folders] }
}

/**
 * Refuses a file that protects the endpoint in frameworks with the same layout. Ignoring it would leave the endpoint
 * unprotected.
 */
function assertNoAuthFile(name: string): void {
  if (!loginFile.test(name)) return
  throw new Error(
    `expected no ${name} next to ${Object.keys(kinds).join('/, ')}/: it protects nothing here. ` +
      'Check tokens with the mount option `auth`, or add your login middleware before the mount, and delete the file; ' +
      `if it is a helper, rename it to _${name}`,
  )
}

/** Reports misspelled folder names such as `tool`, which would otherwise be ignored silently. */
function assertFolders(names: readonly string[], folders: readonly Folder[]): void {
  const missing = (Object.keys(kinds) as Folder[]).filter((folder) => !folders.includes(folder))
  for (const folder of missing) {
    const misspelled = names.find((name) => [folder, kinds[folder] as string].includes(name.toLowerCase()))
    if (misspelled !== undefined)
      throw new Error(`expected the folder to be called ${folder}/, found ${misspelled}/`)
  }
  if (folders.length === 0)
    throw new Error(`expected at least one of ${missing.join('/, ')}/ in it; found none`)
}

async function walk(current: FolderToScan): Promise<Scan> {
  const real = await realpath(current.directory)
  // A symbolic link to a parent folder would recurse without end.
  if (current.ancestors.includes(real)) return { files: [], folders: [] }
  const entries = await readdir(current.directory, { withFileTypes: true })
  const inside = { ...current, ancestors: [...current.ancestors, real] }
  const scans = await Promise.all(entries.sort(byName).map((entry) => scanEntry(inside, entry)))
  const { files, folders } = merge(scans)
  return { files, folders: [current.directory, ...folders] }
}

async function scanEntry(current: FolderToScan, entry: Dirent): Promise<Scan> {
  const { name } = entry
  if (!entry.isSymbolicLink() && isIgnored(name, entry.isDirectory())) return nothing
  const file = path.join(current.directory, name)
  const stats = await stat(file, { bigint: true }).catch(() => undefined)
  // The file was removed after the folder was read.
  if (stats === undefined && !entry.isSymbolicLink()) return nothing
  if (isIgnored(name, stats?.isDirectory() === true)) return nothing
  if (stats?.isDirectory()) return walk({ ...current, directory: file, path: [...current.path, name] })
  // A broken symbolic link stays in the result, so that loading it reports the error.
  const stamp = stats === undefined ? '' : `${stats.mtimeNs} ${stats.size} ${stats.ino}`
  const label = [current.folder, ...current.path, name].join('/')
  const parts = [...current.path, withoutExtension(name)]
  const found = { folder: current.folder, path: parts, file, label, stamp, isEmpty: stats?.size === 0n }
  return { files: [found], folders: [] }
}

const nothing: Scan = { files: [], folders: [] }

function merge(scans: readonly Scan[]): Scan {
  return {
    files: scans.flatMap(({ files }) => files),
    folders: scans.flatMap(({ folders }) => folders),
  }
}

/** Sorts by code units, so that the order is the same on every machine. */
function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1
}
