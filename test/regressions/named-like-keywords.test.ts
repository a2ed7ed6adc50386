/** Arguments that are called as costly keywords are: an author's names do not change what a model is told. */

import { expect, it } from 'vitest'
import { routers } from '../support/routers.js'

const { make } = routers()

it.each(['pattern', 'patternProperties', 'uniqueItems', 'query'])(
  'tells all that is wrong with the arguments of a tool that has one called %s',
  async (name) => {
    const router = make()
    const properties = { [name]: { type: 'string' }, limit: { type: 'integer' }, page: { type: 'integer' } }
    router.tool('t', { description: 'd', input: { type: 'object', properties }, handler: () => 'x' })
    const { content } = await router.call('t', { [name]: 1, limit: 'a', page: 'b' })
    const { text } = content[0] as { text: string }
    for (const key of [name, 'limit', 'page']) expect(text).toContain(key)
  },
)
