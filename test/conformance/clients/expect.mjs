// What every client must find on the conformance server.
import assert from 'node:assert/strict'

/** Checks the lists, which hold more than one page for nobody, and returns their sizes for the client's line. */
export function expectLists({ tools, resources, prompts }) {
  const sizes = {}
  for (const [kind, found, wanted] of [
    ['tools', tools, 'add'],
    ['resources', resources, 'static-text'],
    ['prompts', prompts, 'test_simple_prompt'],
  ]) {
    if (!found) continue // the client has no way to list them
    const names = found.map(({ name }) => name)
    assert(names.includes(wanted), `${kind} lack "${wanted}": ${names.join(', ')}`)
    sizes[kind] = names.length
  }
  return sizes
}

/** Checks the answer of `add {a: 2, b: 3}` in whatever shape the client hands it over. */
export function expectFive(answer) {
  assert(!answer?.isError, `add answered an error: ${JSON.stringify(answer)}`)
  const blocks = Array.isArray(answer) ? answer : (answer?.content ?? [{ type: 'text', text: answer }])
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text)
  assert.deepEqual(texts, ['5'], `add(2, 3) answered ${JSON.stringify(answer)}`)
}

/** Follows the cursors of a list. */
export async function allPages(key, list) {
  const found = []
  let cursor
  do {
    const page = await list(cursor ? { cursor } : {})
    found.push(...page[key])
    cursor = page.nextCursor
    assert(found.length < 1000, `${key}: the pages have no end`)
  } while (cursor)
  return found
}

export { assert }
