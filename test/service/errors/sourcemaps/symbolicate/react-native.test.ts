import { decodedMappings, TraceMap } from '@jridgewell/trace-mapping'
import { transform } from 'esbuild'
import { expect, test } from 'vitest'
import { startApp } from '../../../../app.ts'
import { encodeMappings, type Fields } from '../format/encode.ts'
import { upload, zipOf } from '../uploads/rig.ts'
import { crash, eventOf, latestEvent, sources, uploadBuild, type Built } from './shop.ts'

/** A module system in the form of Metro's; the context of the crash has no URL to resolve names with. */
const RUNTIME = `var __d,__r;(()=>{const f={},m={};
const join=(from,name)=>{const parts=from.split('/').slice(0,-1);for(const part of name.split('/'))
part==='..'?parts.pop():part==='.'||parts.push(part);return parts.join('/')};
__d=(factory,id)=>{f[id]=factory};
__r=id=>{if(m[id])return m[id].exports;const module=m[id]={exports:{}};
f[id](name=>__r(join(id,name)),module,module.exports);return module.exports};
})();`

/** The program as Metro writes it: each module is a call of `__d`, sources are absolute paths of the build machine. */
async function metroBundle(): Promise<Built> {
  const lines = RUNTIME.split('\n')
  const mappings: Fields[][] = lines.map(() => [])
  const paths = Object.keys(sources)
  const names: string[] = []
  for (const [index, path] of paths.entries()) {
    const built = await transform(sources[path]!, { loader: 'ts', format: 'cjs', minify: true, sourcemap: 'external' })
    const map = new TraceMap(built.map)
    const head = '__d((function(require,module,exports){'
    const [segments = []] = decodedMappings(map)
    const offset = names.length
    names.push(...map.names)
    lines.push(`${head}${built.code.trim()}}),${JSON.stringify(path)});`)
    mappings.push(
      segments.map((fields): Fields => {
        const [column, , line = 0, original = 0, name] = fields
        const place = [column + head.length, index, line, original] as const
        return name === undefined ? [...place] : [...place, name + offset]
      }),
    )
  }
  lines.push('__r("src/main.ts");')
  const members = {
    version: 3,
    sources: paths.map((path) => `/Users/ci/shop/${path}`),
    sourcesContent: paths.map((path) => sources[path]),
    names,
    mappings: encodeMappings(mappings),
  }
  return { code: lines.join('\n'), map: JSON.stringify(members) }
}

test.each(['index.android.bundle', 'main.jsbundle', 'index.ios.bundle'])(
  'a crash in %s reads as its sources',
  async (name) => {
    await using app = await startApp()
    const { code, map } = await metroBundle()
    const thrown = crash(code, `app:///${name}`)
    await uploadBuild(app, { [name]: code, [`${name}.map`]: map })
    await app.ingest(eventOf(thrown))
    const frames = (await latestEvent(app)).exceptions[0]!.frames.slice(-2)
    expect(frames.map(({ filename, function: called, lineno }) => `${filename}:${String(lineno)} ${called}`)).toEqual([
      expect.stringMatching(/^Users\/ci\/shop\/src\/cart\/cart\.ts:10 /),
      'Users/ci/shop/src/cart/cart.ts:17 refuse',
    ])
    expect(frames[1]?.context_line).toContain("throw new RangeError('too dear: '")
  },
)

const composed = JSON.stringify({
  version: 3,
  sources: ['/Users/ci/shop/src/cart.ts'],
  sourcesContent: ['export function add(item) {\n  return item.price.amount\n}\n'],
  names: ['add'],
  // One line; a column is the offset of an instruction.
  mappings: encodeMappings([
    [
      [70_000, 0, 0, 16, 0],
      [70_012, 0, 1, 14, 0],
      [70_015, 0, 1, 20, 0],
    ],
  ]),
})
const bytecode = Buffer.concat([Buffer.from('c61fbc03c103191f', 'hex'), Buffer.alloc(64, 1)])

test('an offset of Hermes bytecode leads to the line of its instruction, and no nearer than it', async () => {
  await using app = await startApp()
  const zip = await zipOf({ 'index.android.bundle': bytecode, 'index.android.bundle.map': composed })
  const { body } = await upload(app, { file_name: 'build.zip', release: 'shop@1.4.1' }, zip)
  expect(body.sourcemap.files).toMatchObject([
    { path: '~/index.android.bundle', valid: false, warnings: [expect.stringContaining('Hermes bytecode')] },
    { path: '~/index.android.bundle.map', valid: true },
  ])
  // The SDK counts columns from 1.
  const places = [70_012, 70_013, 70_016, 70_001]
  const frames = places.map((colno) => ({
    function: 'add',
    filename: 'app:///index.android.bundle',
    lineno: 1,
    colno,
    in_app: true,
  }))
  await app.ingest(eventOf({ type: 'TypeError', value: 'no', frames }))
  const read = (await latestEvent(app)).exceptions[0]!.frames
  expect(read.map(({ lineno, colno }) => `${String(lineno)}:${String(colno)}`)).toEqual([
    '1:17',
    '2:15',
    '2:21',
    '1:17',
  ])
  expect(read[1]?.context_line).toBe('  return item.price.amount')
})
