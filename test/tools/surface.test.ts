import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { surface } from '../../src/surface.ts'
import { pendingList, pendingListText, toolList, toolListText } from '../../src/dev/lists.ts'
import { surfaceFile, surfacePage } from '../../src/dev/surface.ts'

const root = resolve(import.meta.dirname, '../..')
const fileName = (name: string) => name.replaceAll('_', '-')

test('tools/SURFACE.md is what the code says; after a change run npm run surface', () => {
  expect(readFileSync(surfaceFile, 'utf8')).toBe(surfacePage())
})

test('every tool is listed and no endpoint with a handler is pending; after a change run npm run lists', async () => {
  expect(readFileSync(resolve(root, toolList), 'utf8')).toBe(await toolListText())
  expect(readFileSync(resolve(root, pendingList), 'utf8')).toBe(pendingListText())
})

test('each tool is in the file of its name and tested in the file of its name', () => {
  const missing = surface.tools
    .flatMap(({ name }) => [`tools/${fileName(name)}.ts`, `test/tools/${fileName(name)}.test.ts`])
    .filter((file) => !existsSync(resolve(root, file)))
  expect(missing).toEqual([])
  const files = readdirSync(resolve(root, 'tools')).filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  expect(files.toSorted()).toEqual(surface.tools.map(({ name }) => `${fileName(name)}.ts`).toSorted())
})
