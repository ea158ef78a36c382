import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { surface } from '../../src/surface.ts'
import { surfaceFile, surfacePage } from '../../src/dev/surface.ts'

const root = resolve(import.meta.dirname, '../..')
const fileOf = (name: string) => name.replaceAll('_', '-')

test('tools/SURFACE.md is what the code says; after a change run npm run surface', () => {
  expect(readFileSync(surfaceFile, 'utf8')).toBe(surfacePage())
})

test('each tool is in the file of its name and tested in the file of its name', () => {
  const missing = surface.tools
    .flatMap(({ name }) => [`tools/${fileOf(name)}.ts`, `test/tools/${fileOf(name)}.test.ts`])
    .filter((file) => !existsSync(resolve(root, file)))
  expect(missing).toEqual([])
  const files = readdirSync(resolve(root, 'tools')).filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  expect(files.toSorted()).toEqual(surface.tools.map(({ name }) => `${fileOf(name)}.ts`).toSorted())
})
