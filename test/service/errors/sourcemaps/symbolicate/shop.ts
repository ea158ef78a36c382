import vm from 'node:vm'
import { build, type BuildOptions } from 'esbuild'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import type { App } from '../../../../app.ts'
import { upload, zipOf } from '../uploads/rig.ts'

/** A frame as SDKs send it. */
export interface SentFrame {
  function: string
  filename: string
  abs_path?: string
  lineno: number
  colno: number
  in_app: boolean
}

/** A small program that crashes: a module, a class, a callback and a function that throws. */
export const sources: Readonly<Record<string, string>> = {
  'src/main.ts': `import { checkout } from './checkout/checkout.ts'

interface Order { items: { price: number }[]; currency?: string }

const order: Order = { items: [{ price: 12 }, { price: 30 }] }
checkout(order)
`,
  'src/checkout/checkout.ts': `import { Cart } from '../cart/cart.ts'

export function checkout(order: { items: { price: number }[] }) {
  const cart = new Cart(order.items)
  // Prices are checked once more before anything is charged.
  return cart.totalOf('EUR')
}
`,
  'src/cart/cart.ts': `export class Cart {
  #items: { price: number }[]

  constructor(items: { price: number }[]) {
    this.#items = items
  }

  totalOf(currency: string): number[] {
    return this.#items.map((item) => {
      if (item.price > 20) refuse(currency, item.price)
      return item.price
    })
  }
}

function refuse(currency: string, price: number): never {
  throw new RangeError('too dear: ' + price + ' ' + currency)
}
`,
}

export interface Built {
  code: string
  map: string
}

/** Bundles and minifies the program; `file` is its path below the folder of the sources. */
export async function bundle(
  file: string,
  { files = sources, ...options }: BuildOptions & { files?: Readonly<Record<string, string>> } = {},
): Promise<Built> {
  const { outputFiles } = await build({
    entryPoints: ['src/main.ts'],
    outfile: `/project/${file}`,
    absWorkingDir: '/',
    bundle: true,
    minify: true,
    format: 'iife',
    sourcemap: 'linked',
    plugins: [
      {
        name: 'memory',
        setup(plugin) {
          plugin.onResolve({ filter: /./ }, ({ path, importer }) => ({
            path: importer === '' ? `/project/${path}` : new URL(path, `file://${importer}`).pathname,
          }))
          plugin.onLoad({ filter: /./ }, ({ path }) => ({
            contents: files[path.replace('/project/', '')],
            loader: 'ts',
          }))
        },
      },
    ],
    ...options,
    write: false,
  })
  const [map, code] = outputFiles
  if (map === undefined || code === undefined) throw new Error('esbuild wrote no map')
  return { code: code.text, map: map.text }
}

/** Runs code as if it were that file; answers with what it throws, its frames caller first. */
export function crash(code: string, filename: string): { type: string; value: string; frames: SentFrame[] } {
  const context = vm.createContext({})
  vm.runInContext(
    `Error.prepareStackTrace = (error, sites) => sites.map((site) => ({
      function: /^\\s*at (?:async )?(.*) \\(/.exec('  at ' + site)?.[1] ?? '?',
      filename: site.getFileName(), lineno: site.getLineNumber(), colno: site.getColumnNumber(), in_app: true }))`,
    context,
  )
  const caught: unknown = vm.runInContext(
    '(run) => { try { run(); return null } catch (error) { return [error.name, error.message, JSON.stringify(error.stack)] } }',
    context,
  )
  // The context was given this function just above.
  const thrown = (caught as (run: () => void) => [string, string, string] | null)(() => {
    new vm.Script(code, { filename }).runInContext(context)
  })
  if (thrown === null) throw new Error('the program did not crash')
  const frames = (JSON.parse(thrown[2]) as SentFrame[]).filter((frame) => frame.filename === filename)
  return { type: thrown[0], value: thrown[1], frames: frames.toReversed() }
}

/** An event of the crash as the browser SDK sends it; `more` adds members of the payload. */
export function eventOf(
  { type, value, frames }: { type: string; value: string; frames: readonly object[] },
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    platform: 'javascript',
    release: 'shop@1.4.1',
    exception: { values: [{ type, value, stacktrace: { frames } }] },
    ...more,
  }
}

/** Uploads a bundle and its map as one zip; what names them (release, dist, url_prefix) stands in `input`. */
export async function uploadBuild(
  app: App,
  files: Record<string, string>,
  input: Record<string, unknown> = { release: 'shop@1.4.1' },
): Promise<number> {
  const { status, body } = await upload(app, { file_name: 'build.zip', ...input }, await zipOf(files))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.resymbolicated_issues
}

type Issue = ResponseOf<'listIssues'>['issues'][number]
type LatestEvent = NonNullable<ResponseOf<'getIssue'>['latest_event']>

export async function issuesOf(app: App): Promise<Issue[]> {
  const path = `/v1/products/${app.productId}/issues?sort=first_seen`
  return (await app.request<ResponseOf<'listIssues'>>('GET', path)).body.issues.toReversed()
}

/** The newest event of an issue, of the only one unless one is named. */
export async function latestEvent(app: App, issueId?: string): Promise<LatestEvent> {
  const id = issueId ?? (await issuesOf(app))[0]!.id
  return (await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${id}`)).body.latest_event!
}
