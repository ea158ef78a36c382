import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findByName } from '../../../src/mcp/files/find-by-name.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-find-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}
const names = new Set(['a.go'])

test('files with the name are found below every root, and nothing that is installed, built or hidden', async () => {
  write('one/pkg/a.go', 'one/b.go', 'two/a.go', 'one/node_modules/x/a.go', 'one/target/a.go', 'one/.git/a.go')
  const found = await findByName([join(root, 'one'), join(root, 'two')], names)
  expect(found).toEqual({ paths: ['pkg/a.go', 'a.go'], isComplete: true })
})

test('links are not followed, and a root inside another one is read once', async () => {
  write('inside/pkg/a.go', 'outside/a.go')
  symlinkSync(join(root, 'outside'), join(root, 'inside/linked'))
  symlinkSync(join(root, 'outside/a.go'), join(root, 'inside/a.go'))
  const found = await findByName([join(root, 'inside'), join(root, 'inside/pkg')], names)
  expect(found).toEqual({ paths: ['pkg/a.go'], isComplete: true })
})

test('the search ends at its limits, and says so', async () => {
  write(...Array.from({ length: 30 }, (_, index) => `f${String(index)}/a.go`))
  const few = await findByName([root], names, { limits: { entries: 40, ms: 60_000 } })
  expect(few.isComplete).toBe(false)
  expect(few.paths.length).toBeLessThan(30)
  let clock = 0
  const slow = await findByName([root], names, { limits: { entries: 1_000, ms: 5 }, now: () => (clock += 1) })
  expect(slow).toMatchObject({ isComplete: false })
})

test('a folder whose name cannot be shown is passed over', async () => {
  write('a\nb/a.go', 'pkg/a.go')
  expect(await findByName([root], names)).toEqual({ paths: ['pkg/a.go'], isComplete: true })
})

test('without case a name is found in any case', async () => {
  write('Pkg/A.go')
  expect((await findByName([root], names)).paths).toEqual([])
  expect((await findByName([root], names, { foldCase: true })).paths).toEqual(['Pkg/A.go'])
})
