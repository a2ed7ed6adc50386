/** The code of a page as one program that can be compiled and run. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'

const file = (relative: string): URL => new URL(relative, import.meta.url)

/** Writes the program of a page and loads it. `order` arranges its blocks, where a page shows the end first. */
export async function load(
  page: string,
  imports: readonly string[],
  order: (blocks: string[]) => string[] = (blocks) => blocks,
): Promise<Record<string, never>> {
  const markdown = await readFile(file(`../../${page}`), 'utf8')
  const blocks = [...markdown.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1] ?? '')
  const lines = order(blocks).join('\n').split('\n')
  const isImport = (line: string): boolean => line.startsWith('import ')
  const program = [
    ...imports,
    ...lines.filter(isImport),
    ...lines.filter((line) => !isImport(line)),
    // What a page defines and does not use again is used by its readers.
    'export {}',
  ]
  await mkdir(file('generated'), { recursive: true })
  const name = `generated/${page.replace(/\W/g, '-')}.ts`
  await writeFile(file(name), `${program.join('\n')}\n`)
  return import(file(name).href)
}
