// Bundles packages that every user, or every user of a platform, would otherwise have to install.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'

/**
 * Bundles Ajv into one file, plus a small file for each of its two classes. Both builds load them with `require` when a
 * schema is first used.
 */
export async function vendor(folders) {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: "exports.Ajv = require('ajv'); exports.Ajv2020 = require('ajv/dist/2020')",
      resolveDir: '.',
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
  })
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await writeFile(`${folder}/both.cjs`, outputFiles[0].contents)
    await writeFile(`${folder}/ajv.cjs`, "module.exports = require('./both.cjs').Ajv\n")
    await writeFile(`${folder}/ajv-2020.cjs`, "module.exports = require('./both.cjs').Ajv2020\n")
  }
  return { metafile }
}

/** Returns the names of the packages in the build results. */
export function bundled(results) {
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  const names = inputs.flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? [],
  )
  return [...new Set(names)].sort()
}

/** Writes the versions and licences of bundled packages, since licences must be distributed with the code. */
export async function writeLicenses(file, names) {
  const parts = await Promise.all(names.map(sectionOf))
  await writeFile(file, `# Packages that are built into this one\n\n${parts.join('\n\n')}\n`)
}

async function sectionOf(name) {
  const folder = `node_modules/${name}`
  const { version, license, repository } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const file = (await readdir(folder)).find((found) => /^licen[cs]e/i.test(found))
  const text =
    file === undefined ? `See ${addressOf(repository, name)}` : await readFile(`${folder}/${file}`, 'utf8')
  return `## ${name} ${version}, ${license}\n\n${text.trim()}`
}

/** Returns a package's repository, which is a URL, an object with a URL, or `owner/name` (package.json, repository). */
function addressOf(repository, name) {
  const address = typeof repository === 'string' ? repository : repository?.url
  if (address === undefined)
    throw new Error(`${name} contains no licence and names no repository; add its licence here`)
  return address
}
