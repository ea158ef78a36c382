import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const plot = mkdtempSync(join(tmpdir(), 'tracegate-imports-'))
afterAll(() => rmSync(plot, { recursive: true, force: true }))

for (const file of ['.oxlintrc.json', 'tsconfig.json']) cpSync(join(root, file), join(plot, file))
symlinkSync(join(root, 'node_modules'), join(plot, 'node_modules'))

/** Lints one planted file in a copy of our layout; resolves to what the linter printed and its exit code. */
function lintPlanted(file: string, imported: string) {
  for (const path of [file, join(dirname(file), imported)]) mkdirSync(dirname(join(plot, path)), { recursive: true })
  writeFileSync(join(plot, dirname(file), imported), 'export const thing = 1\n')
  writeFileSync(join(plot, file), `import { thing } from '${imported}'\nexport const planted = thing\n`)
  const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), [file], { cwd: plot, encoding: 'utf8' })
  rmSync(join(plot, file))
  return { code: run.status, output: run.stdout }
}

const forbidden: readonly [file: string, imported: string][] = [
  ['src/errors.ts', './contract/issues.ts'],
  ['src/contract/planted.ts', '../client/client.ts'],
  ['src/contract/planted.ts', '../service/index.ts'],
  ['src/client/planted.ts', '../service/index.ts'],
  ['src/client/planted.ts', '../mcp/define.ts'],
  ['src/service/planted.ts', '../client/client.ts'],
  ['src/service/planted.ts', '../../tools/find-error-issues.ts'],
  ['src/service/handlers/planted.ts', '../../mcp/define.ts'],
  ['src/mcp/planted.ts', '../service/index.ts'],
  ['src/mcp/planted.ts', '../../tools/find-error-issues.ts'],
  ['src/mcp/planted.ts', '../surface.ts'],
  ['tools/planted.ts', '../src/service/index.ts'],
  ['tools/planted.ts', '../src/client/client.ts'],
  ['resources/planted.ts', '../src/service/index.ts'],
  ['prompts/planted.ts', '../src/service/index.ts'],
]

test.each(forbidden)('the linter is red when %s imports %s', (file, imported) => {
  const { code, output } = lintPlanted(file, imported)
  expect(output).toContain('no-restricted-imports')
  expect(code).not.toBe(0)
})

const allowed: readonly [file: string, imported: string][] = [
  ['src/service/planted.ts', '../contract/issues.ts'],
  ['src/client/planted.ts', '../contract/issues.ts'],
  ['src/mcp/planted.ts', '../client/client.ts'],
  ['src/mcp/server.ts', '../surface.ts'],
  ['src/surface.ts', '../tools/find-error-issues.ts'],
  ['tools/planted.ts', '../src/mcp/define/define.ts'],
  ['src/cli/planted.ts', '../service/index.ts'],
]

test.each(allowed)('the linter lets %s import %s', (file, imported) => {
  expect(lintPlanted(file, imported)).toMatchObject({ code: 0 })
})

test('the linter is red when two modules import each other', () => {
  mkdirSync(join(plot, 'src/contract'), { recursive: true })
  writeFileSync(join(plot, 'src/contract/one.ts'), "import { two } from './two.ts'\nexport const one = () => two\n")
  writeFileSync(join(plot, 'src/contract/two.ts'), "import { one } from './one.ts'\nexport const two = () => one\n")
  const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['src/contract'], { cwd: plot, encoding: 'utf8' })
  expect(run.stdout).toContain('import(no-cycle)')
  expect(run.status).not.toBe(0)
})
