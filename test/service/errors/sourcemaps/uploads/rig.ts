import { createHash } from 'node:crypto'
import { build } from 'esbuild'
import { ZipFile } from 'yazl'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import { replyText } from '../../../../../src/contract/base/wire.ts'
import type { App, Reply } from '../../../../app.ts'

export type Created = ResponseOf<'createSourceMap'>
export type Confirmed = ResponseOf<'confirmSourceMap'>
export interface Refusal {
  code: number
  message: string
  details: { reason: string; metadata: Record<string, string>; field_violations?: { field: string }[] }[]
}

export const debugId = '5f9a3c1e-0d2b-4c6f-9a8e-1b2c3d4e5f60'
export const otherDebugId = '00000000-1111-4222-8333-444444444444'

const shopSource = `export function total(items) {
  return items.map((item) => item.price).reduce((sum, price) => sum + price, 0)
}
export class Cart {
  add(item) {
    if (item === undefined) throw new TypeError('no item')
    return total([item])
  }
}
`

/** A module as a bundler writes it: minified, with its map. */
export async function minify(source = shopSource): Promise<{ code: string; map: string }> {
  const { outputFiles } = await build({
    stdin: { contents: source, sourcefile: 'src/cart/cart.js', loader: 'js' },
    outfile: '/assets/app.js',
    absWorkingDir: '/',
    minify: true,
    bundle: true,
    format: 'esm',
    sourcemap: 'external',
    write: false,
  })
  const [map, code] = outputFiles
  if (map === undefined || code === undefined) throw new Error('esbuild wrote no map')
  return { code: code.text, map: map.text }
}

/** A small valid map. */
export function tinyMap(members: Record<string, unknown> = {}): string {
  return JSON.stringify({
    version: 3,
    sources: ['src/a.ts'],
    sourcesContent: ['export const a = 1\n'],
    names: [],
    mappings: 'AAAA',
    ...members,
  })
}

/** A real zip. */
export async function zipOf(files: Record<string, string | Buffer>, { compress = true } = {}): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path, { compress })
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

export function sha256Of(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function create<T = Created>(app: App, input: Record<string, unknown>): Promise<Reply<T>> {
  return app.request<T>('POST', `/v1/products/${app.productId}/sourcemaps`, input)
}

/** One PUT without a token, straight to the service. */
export async function put(
  app: App,
  url: string,
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  headers: Record<string, string> = {},
): Promise<Reply<Refusal | undefined>> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const reply = await app.service.handle({ method: 'PUT', url, headers, body: bytes })
  const text = await replyText(reply)
  return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : (JSON.parse(text) as Refusal) }
}

export function confirm<T = Confirmed>(app: App, id: string, input: Record<string, unknown> = {}): Promise<Reply<T>> {
  return app.request<T>('POST', `/v1/sourcemaps/${id}:confirm`, input)
}

/** Creates an upload and sends its bytes; the answer is its id. */
export async function send(app: App, input: Record<string, unknown>, bytes: string | Uint8Array): Promise<string> {
  const { body } = await create(app, input)
  const { status } = await put(app, body.upload_url, bytes)
  if (status !== 200) throw new Error(`PUT was answered ${status}`)
  return body.sourcemap.id
}

/** The whole way of an upload. */
export async function upload<T = Confirmed>(
  app: App,
  input: Record<string, unknown>,
  bytes: string | Uint8Array,
): Promise<Reply<T>> {
  return confirm<T>(app, await send(app, input, bytes))
}

/** The rows that frames are looked up in, without ids. */
export async function artifactsOf(app: App, id: string) {
  return app.db.read
    .selectFrom('sourcemap_artifact')
    .select(['kind', 'debug_id', 'release', 'dist', 'path', 'base_name', 'counterpart', 'content'])
    .where('sourcemap_id', '=', id)
    .orderBy('id')
    .execute()
}

export async function stateOf(app: App, id: string): Promise<string | undefined> {
  const row = await app.db.read.selectFrom('sourcemap').select('state').where('id', '=', id).executeTakeFirst()
  return row?.state
}
