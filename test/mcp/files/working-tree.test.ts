import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLocalFiles } from '../../../src/mcp/files/local-files.ts'
import { isGlob, workingTree } from '../../../src/mcp/files/working-tree.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-tree-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}

test('the files below every root are listed by path, without installed packages and history', async () => {
  write('one/src/a.ts', 'one/node_modules/x/index.js', 'one/.git/config', 'two/b.ts')
  const local = createLocalFiles([join(root, 'one'), join(root, 'two')])
  expect(await workingTree(local, ['src/**'])).toEqual(['src/a.ts', 'b.ts'])
})

test('in a large tree only the folders that the globs begin with are listed', async () => {
  const many = Array.from({ length: 5001 }, (_, index) => `generated/${String(index)}.txt`)
  write('src/cart/a.ts', 'src/cart/deep/b.ts', 'src/other.ts', ...many)
  const local = createLocalFiles([root])
  expect(await workingTree(local, ['src/cart/**', 'src/cart/*.ts', 'none/*'])).toEqual([
    'src/cart/a.ts',
    'src/cart/deep/b.ts',
  ])
  expect(await workingTree(local, ['**/*.ts', 'generated/*'])).toEqual([])
})

test('a glob cannot lead outside the roots', async () => {
  write('inside/a.ts', 'outside/secret.ts', ...Array.from({ length: 5001 }, (_, index) => `inside/x/${String(index)}`))
  const local = createLocalFiles([join(root, 'inside')])
  expect(await workingTree(local, ['../outside/*', `${root}/outside/**`])).toEqual([])
})

test('without allowed roots there are no files', async () => {
  expect(await workingTree(createLocalFiles([]), ['src/**'])).toEqual([])
})

test.each([
  ['src/a.ts', false],
  ['src/**', true],
  ['src/a.{ts,js}', true],
  ['app/[id].ts', true],
])('%s is a glob: %j', (path, expected) => expect(isGlob(path)).toBe(expected))
