import { bundle, crash, type SentFrame } from '../../../service/errors/sourcemaps/symbolicate/shop.ts'
import { zipOf } from '../../../service/errors/sourcemaps/uploads/rig.ts'
import type { Served } from '../../../serve.ts'

/** Uploads a minified program with its source map as a release's; the frames of its crash. */
export async function uploadBuild(app: Served, release: string): Promise<SentFrame[]> {
  const { code, map } = await bundle('dist/assets/app.js')
  const zip = await zipOf({ 'assets/app.js': code, 'assets/app.js.map': map })
  const input = { file_name: 'build.zip', release }
  const path = `/v1/products/${app.endpoints.product_id}/sourcemaps`
  const created = await app.rest<{ sourcemap: { id: string }; upload_url: string }>('POST', path, input)
  const sent = await fetch(created.upload_url, { method: 'PUT', body: new Uint8Array(zip) })
  if (!sent.ok) throw new Error(`the build was answered with ${String(sent.status)}`)
  await app.rest('POST', `/v1/sourcemaps/${created.sourcemap.id}:confirm`, {})
  return crash(code, 'https://shop.example/assets/app.js').frames
}
