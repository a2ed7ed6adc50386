/** Completion finds the template that reading would find: hidden ones are not there. */

import { expect, it } from 'vitest'
import { routers } from '../support/routers.js'
import { connect, versions } from '../wire/client.js'

const { make } = routers({ exposeErrors: false })
const argument = { name: 'a', value: '' }

it.each(versions.slice(1))(
  'completes the visible template behind a hidden one that fits too (%s)',
  async (version) => {
    const router = make()
    router.resource('d://{a}/x', {
      visible: () => false,
      complete: { a: () => ['hidden'] },
      handler: () => 'hidden',
    })
    router.resource('d://{+a}', { complete: { a: () => ['seen'] }, handler: () => 'seen' })
    const client = connect(router, version)
    const { contents } = await client.result('resources/read', { uri: 'd://1/x' })
    const ref = { type: 'ref/resource', uri: 'd://1/x' }
    const { completion } = await client.result('completion/complete', { ref, argument })
    expect([contents[0].text, completion.values]).toEqual(['seen', ['seen']])
  },
)

it('completes the first one for those who see it', async () => {
  const router = make()
  const visible = ({ user }: { user: unknown }) => user !== undefined
  router.resource('d://{a}/x', { visible, complete: { a: () => ['first'] }, handler: () => 'x' })
  router.resource('d://{+a}', { complete: { a: () => ['second'] }, handler: () => 'x' })
  const ref = { type: 'ref/resource', uri: 'd://1/x' }
  const values = async (caller: object) =>
    (await connect(router, '2025-11-25', caller).result('completion/complete', { ref, argument })).completion
      .values
  expect([await values({ user: { id: 1 } }), await values({})]).toEqual([['first'], ['second']])
})

it('completes nothing where every template that fits is hidden, also by its own name', async () => {
  const router = make()
  router.resource('d://{a}', { visible: () => false, complete: { a: () => ['hidden'] }, handler: () => 'x' })
  for (const uri of ['d://1', 'd://{a}']) {
    const ref = { type: 'ref/resource', uri }
    const { code, message } = await connect(router).error('completion/complete', { ref, argument })
    expect({ code, message }).toEqual({ code: -32602, message: expect.not.stringContaining('hidden') })
  }
})
