import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import {
  createMaplessSymbolicator,
  createSymbolicator,
} from '../../../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import { startApp } from '../../../../app.ts'
import { event, exception, frame, thread } from '../../grouping/events.ts'

const source = frame({ filename: 'src/pay.ts', function: 'pay' })
const builtIn = frame({ filename: 'native' })
const bundled = frame({ filename: 'https://shop.example/app.4f3a2b1c.js', colno: 900 })

test.for([
  ['sources', event({ exceptions: [exception({ frames: [builtIn, source] })] })],
  ['a bundle', event({ exceptions: [exception({ frames: [source, bundled] })], release: 'shop@1' })],
  ['a bundle without a release', event({ exceptions: [exception({ frames: [bundled] })], release: '' })],
  ['a bundle in a thread', event({ threads: [thread({ frames: [source, bundled] })], release: 'shop@1' })],
  ['no stack', event()],
] as const)('without source maps, %s is read as with an empty database', async ([, sent]) => {
  await using app = await startApp()
  const symbolicator = createSymbolicator({ db: app.db, tables: tmpdir() })
  const mapless = await createMaplessSymbolicator().symbolicate(1, sent)
  expect(mapless).toEqual(await symbolicator.symbolicate(1, sent))
  symbolicator.close()
})
