import { expect, test } from 'vitest'
import { startApp } from '../../../app.ts'
import { bundle, crash, eventOf, sources, uploadBuild } from '../../errors/sourcemaps/symbolicate/shop.ts'
import { fixContextOf } from './fix-context.ts'

const address = 'https://shop.example/assets/app.js'

/** Number of the line of a source that holds a text. */
function lineOf(path: string, text: string): number {
  return (sources[path] ?? '').split('\n').findIndex((line) => line.includes(text)) + 1
}

test('the fix context of a minified crash leads to the sources as soon as their map is uploaded', async () => {
  await using app = await startApp()
  const built = await bundle('dist/assets/app.js')
  await app.ingest(eventOf(crash(built.code, address)))
  const before = await fixContextOf(app)
  expect(before.frames.every(({ symbolicated }) => !symbolicated)).toBe(true)
  expect(before.files.map((file) => file.exists_in_snapshot)).toEqual([null])
  expect(before.event?.symbolication.problems).toHaveLength(before.frames.length)

  await uploadBuild(app, { 'assets/app.js': built.code, 'assets/app.js.map': built.map })
  const { files, frames, issue, event, truncation_signals: signals } = await fixContextOf(app)
  const cart = 'src/cart/cart.ts'
  const lines = ['throw new RangeError', 'refuse(currency, item.price)', 'this.#items.map'].map((text) =>
    lineOf(cart, text),
  )
  expect(files.map(({ path, reason, exists_in_snapshot: exists }) => [path, reason, exists])).toEqual([
    [cart, 'crash_frame', true],
    ['src/checkout/checkout.ts', 'in_app_frame', true],
    ['src/main.ts', 'in_app_frame', true],
  ])
  const told = files[0]?.lines.flatMap(({ start, end }) => Array.from({ length: end - start + 1 }, (_, i) => start + i))
  expect(told).toEqual(lines.toSorted((left, right) => left - right))
  expect(frames.at(-1)).toMatchObject({ symbolicated: true, repo_path: cart, lineno: lines[0] })
  expect(frames.at(-1)?.context_line).toContain('throw new RangeError')
  expect(event?.symbolication.state).toBe('SYMBOLICATION_STATE_COMPLETE')
  expect(issue.corroboration).toMatchObject({
    files_matched: 3,
    frames_symbolicated: frames.length,
    release_known: true,
  })
  expect(signals).toEqual(['event.raw_payload:cleared', `event.exceptions.frames:moved:0/${frames.length}`])
})
