/** Lists, page by page. */
import type { TestClient } from '../wire/client.js'

export interface Item {
  name: string
  uri?: string
  title?: string
}

/** Every list, and the member of its answers that has the items. */
const members: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}
export const listMethods: readonly string[] = Object.keys(members)

/** All pages of a list; `between` runs after each. A list that does not end is cut off. */
export async function walk(
  client: TestClient,
  method = 'tools/list',
  between: (page: Item[]) => unknown = () => {},
): Promise<Item[][]> {
  const pages: Item[][] = []
  let cursor: string | undefined
  do {
    const answer = await client.result(method, cursor === undefined ? {} : { cursor })
    pages.push(answer[members[method] as string])
    await between(pages.at(-1) ?? [])
    cursor = answer.nextCursor
  } while (cursor !== undefined && pages.length < 200)
  return pages
}

export function namesOf(pages: readonly Item[][]): string[] {
  return pages.flat().map(({ name }) => name)
}
