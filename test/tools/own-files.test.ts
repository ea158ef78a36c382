import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openShop, type Shop } from './shop.ts'

interface Body {
  fix_context: { files: { path: string }[]; issue: { culprit: string } }
}

let shop: Shop
let agent: Connected
beforeEach(async () => {
  shop = await openShop()
  agent = await connect(shop.api)
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

/** The files of the fix context, most suspicious first, and the culprit of one new event with these frames. */
async function fixContext(platform: string, frames: Record<string, unknown>[]) {
  const values = [{ type: 'OwnFileError', value: 'x', stacktrace: { frames } }]
  await shop.crash(5, { platform, fingerprint: ['own-files'], exception: { values } })
  const { issues } = await shop.api.listIssues({ product_id: shop.productId, sort: 'first_seen', page_size: 1 })
  const { id, short_id: issue } = issues[0]!
  const { structured } = await agent.call('get_fix_context', { issue })
  const { body } = await shop.request<Body>('GET', `/v1/products/${shop.productId}/issues/${id}/fix-context`)
  const { files, issue: shown } = body.fix_context
  return { structured, files: files.map(({ path }) => path), culprit: shown.culprit }
}

test.each([
  ['python', 'internal/pay.py'],
  ['go', 'internal/cart/cart.go'],
  ['node', 'internal/pay.ts'],
  ['node', 'webpack/config.js'],
  ['python', 'webpack/build.py'],
])('a file of the team in a folder that a runtime has, too, is in the fix context: %s %s', async (platform, path) => {
  const frame = { function: 'run', filename: path, lineno: 3, in_app: true }
  const { structured, files } = await fixContext(platform, [frame])
  expect(files).toEqual([path])
  expect(structured).toHaveProperty('data.files_note', expect.stringContaining('1 file'))
  expect(structured).toHaveProperty('untrusted.exceptions.0.frames_crash_first', [`${path}:3 run`])
})

test('the fix context of an error thrown in the standard library names the file of the team', async () => {
  const python = '/usr/lib/python3.12'
  const { structured, files, culprit } = await fixContext('python', [
    { function: 'handle', module: 'shop.api', filename: 'shop/api.py', lineno: 9 },
    {
      function: 'loads',
      module: 'json',
      filename: 'json/__init__.py',
      abs_path: `${python}/json/__init__.py`,
      lineno: 346,
    },
    {
      function: 'raw_decode',
      module: 'json.decoder',
      filename: 'json/decoder.py',
      abs_path: `${python}/json/decoder.py`,
      lineno: 356,
    },
  ])
  expect(files).toEqual(['shop/api.py'])
  expect(culprit).toBe('handle (shop/api.py)')
  expect(structured).toHaveProperty('untrusted.exceptions.0.frames_crash_first', [
    'json/decoder.py:356 raw_decode (library)',
    '… 1 library frame (json)',
    'shop/api.py:9 handle',
  ])
})
