import { expect, test } from 'vitest'
import { startApp } from '../../../app.ts'
import { fixContextOf, issuesOf, library, own, thrown } from './fix-context.ts'

test('other issues whose frames share places are related, by how many they share, then by when they were seen', async () => {
  await using app = await startApp()
  const now = Date.now() / 1000
  const crash = (type: string, ago: number, ...names: string[]) => ({
    timestamp: now - ago,
    exception: thrown({
      type,
      frames: [library('run'), ...names.map((name) => own(`src/${name}.ts`, name, 1))],
    }),
  })
  await app.ingest(crash('MineError', 1, 'main', 'route', 'cart', 'price'))
  await app.ingest(crash('OnlyMain', 2, 'main', 'search'))
  await app.ingest(crash('AlsoOnlyMain', 1, 'main', 'session'))
  await app.ingest(crash('NearError', 9, 'main', 'route', 'cart', 'tax'))
  await app.ingest(crash('FarError', 1, 'worker', 'mail'))
  const mine = (await issuesOf(app)).find(({ type }) => type === 'MineError')!
  const { related_issues: related } = await fixContextOf(app, {}, mine.id)
  expect(related.map(({ title, shared_frames: shared }) => [title, shared])).toEqual([
    ['NearError: failed', 3],
    ['AlsoOnlyMain: failed', 1],
    ['OnlyMain: failed', 1],
  ])
  expect(related[0]?.short_id).toBe((await issuesOf(app)).find(({ type }) => type === 'NearError')?.short_id)
})

test('the same file with another function is another place', async () => {
  await using app = await startApp()
  const crash = (name: string) => ({ exception: thrown({ type: name, frames: [own('src/a.ts', name, 1)] }) })
  await app.ingest(crash('one'), crash('two'))
  for (const { id } of await issuesOf(app)) expect((await fixContextOf(app, {}, id)).related_issues).toEqual([])
})

test('five related issues are shown, and the note has their total', async () => {
  await using app = await startApp()
  const crash = (index: number) => ({
    exception: thrown({
      type: `Error${index}`,
      frames: [own('src/main.ts', 'main', 1), own(`src/${index}.ts`, 'f', 1)],
    }),
  })
  await app.ingest(...Array.from({ length: 8 }, (_, index) => crash(index)))
  const { related_issues: related, truncation_signals: signals } = await fixContextOf(app)
  expect(related).toHaveLength(5)
  expect(signals).toContain('related_issues:count:5/7')
})
