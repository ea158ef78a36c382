import { expect, test } from 'vitest'
import { startApp, type App } from '../../../../app.ts'
import { confirm, create, minify, send, sha256Of, zipOf } from './rig.ts'

const release = 'shop@1.4.1'

/** An event of a browser, whose one frame is where the minified code throws. */
async function crash(app: App, code: string, of: { release: string; path: string }) {
  const before = code.slice(0, code.indexOf('throw')).split('\n')
  const frame = {
    function: 'e',
    abs_path: `https://shop.example${of.path}`,
    filename: `https://shop.example${of.path}`,
    lineno: before.length,
    colno: (before.at(-1) ?? '').length + 1,
    in_app: true,
  }
  const exception = { values: [{ type: 'TypeError', value: 'no item', stacktrace: { frames: [frame] } }] }
  await app.ingest({ platform: 'javascript', release: of.release, exception })
}

async function sourceOf(app: App, product: string): Promise<string | undefined> {
  const [issue] = (await app.api.listIssues({ product_id: product })).issues
  const { body } = await app.request<{ latest_event: { exceptions: { frames: { filename: string }[] }[] } }>(
    'GET',
    `/v1/issues/${issue?.id ?? ''}`,
  )
  return body.latest_event.exceptions[0]?.frames[0]?.filename
}

test('a confirm renews the issues that waited for it, and says so each time it is repeated', async () => {
  await using app = await startApp()
  const { code, map } = await minify()
  await crash(app, code, { release, path: '/assets/app.js' })
  expect(await sourceOf(app, app.productId)).toBe('https://shop.example/assets/app.js')
  const zip = await zipOf({ 'app.js': code, 'app.js.map': map })
  const id = await send(app, { file_name: 'dist.zip', release, url_prefix: '~/assets/' }, zip)
  const { body } = await confirm(app, id)
  expect(body.resymbolicated_issues).toBe(1)
  expect(await sourceOf(app, app.productId)).toBe('src/cart/cart.js')
  expect((await confirm(app, id)).body).toEqual(body)
})

test('bytes that serve another build as well renew the issues of that one', async () => {
  await using app = await startApp()
  const { code, map } = await minify()
  const zip = await zipOf({ 'app.js': code, 'app.js.map': map })
  const input = { file_name: 'dist.zip', release, sha256: sha256Of(zip) }
  await confirm(app, await send(app, input, zip))
  await crash(app, code, { release: 'shop@2.0.0', path: '/static/app.js' })
  expect(await sourceOf(app, app.productId)).toBe('https://shop.example/static/app.js')
  const { body } = await create(app, { ...input, release: 'shop@2.0.0', url_prefix: '~/static/' })
  expect(body.upload_url).toBe('')
  expect((await confirm(app, body.sourcemap.id)).body.resymbolicated_issues).toBe(1)
  expect(await sourceOf(app, app.productId)).toBe('src/cart/cart.js')
})
