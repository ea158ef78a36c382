import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const plot = mkdtempSync(join(tmpdir(), 'tracegate-imports-'))
afterAll(() => rmSync(plot, { recursive: true, force: true }))

for (const file of ['.oxlintrc.json', 'tsconfig.json']) cpSync(join(root, file), join(plot, file))
symlinkSync(join(root, 'node_modules'), join(plot, 'node_modules'))

const forbidden: readonly [file: string, imported: string][] = [
  ['src/errors.ts', './contract/issues.ts'],
  ['src/contract/planted.ts', '../client/client.ts'],
  ['src/contract/planted.ts', '../service/index.ts'],
  ['src/client/planted.ts', '../service/index.ts'],
  ['src/client/planted.ts', '../mcp/define.ts'],
  ['src/service/planted.ts', '../client/client.ts'],
  ['src/service/planted.ts', '../../tools/find-error-issues.ts'],
  ['src/service/handlers/planted.ts', '../../mcp/define.ts'],
  ['src/lib/planted.ts', '../errors.ts'],
  ['src/service/shared/planted.ts', '../workspace/audit.ts'],
  ['src/service/workspace/planted.ts', '../errors/event/event.ts'],
  ['src/service/workspace/releases/planted.ts', '../../quality/keys.ts'],
  ['src/service/errors/issues/planted.ts', '../../quality/keys.ts'],
  ['src/service/quality/gaps/planted.ts', '../../errors/event/event.ts'],
  ['src/service/quality/gaps/planted.ts', '../../agent-context/fix/context.ts'],
  ['src/service/agent-context/fix/planted.ts', '../../handlers/index.ts'],
  ['src/service/quality/gaps/planted.ts', '../../gate/facts.ts'],
  ['src/service/gate/planted.ts', '../handlers/index.ts'],
  ['src/service/gate/planted.ts', '../branches/overlay.ts'],
  ['src/service/quality/gaps/planted.ts', '../../branches/overlay.ts'],
  ['src/service/branches/planted.ts', '../intent/types.ts'],
  ['src/service/intent/planted.ts', '../handlers/index.ts'],
  ['src/service/intent/planted.ts', '../agents/define.ts'],
  ['src/service/quality/gaps/planted.ts', '../../agents/define.ts'],
  ['src/service/agents/types/planted.ts', '../../handlers/index.ts'],
  ['src/service/handlers/planted.ts', '../rest/router.ts'],
  ['src/service/planted.ts', '../dev/worker-bundle.ts'],
  ['src/mcp/planted.ts', '../service/index.ts'],
  ['src/mcp/planted.ts', '../../tools/find-error-issues.ts'],
  ['src/mcp/planted.ts', '../surface.ts'],
  ['src/mcp/planted.ts', '../pages/index.ts'],
  ['src/pages/planted.ts', '../service/index.ts'],
  ['src/pages/confirm/planted.ts', '../../cli/serve.ts'],
  ['src/pages/confirm/planted.ts', '../../../tools/find-error-issues.ts'],
  ['tools/planted.ts', '../src/pages/support/html.ts'],
  ['tools/planted.ts', '../src/service/index.ts'],
  ['tools/planted.ts', '../src/client/client.ts'],
  ['resources/planted.ts', '../src/service/index.ts'],
  ['prompts/planted.ts', '../src/service/index.ts'],
]

const allowed: readonly [file: string, imported: string][] = [
  ['src/service/planted.ts', '../contract/issues.ts'],
  ['src/client/planted.ts', '../contract/issues.ts'],
  ['src/service/errors/issues/planted.ts', '../../../errors.ts'],
  ['src/service/quality/gaps/planted.ts', '../../workspace/audit.ts'],
  ['src/mcp/planted.ts', '../client/client.ts'],
  ['src/mcp/server.ts', '../surface.ts'],
  ['src/surface.ts', '../tools/find-error-issues.ts'],
  ['src/pages/confirm/planted.ts', '../../mcp/define/define.ts'],
  ['tools/planted.ts', '../src/mcp/define/define.ts'],
  ['src/cli/planted.ts', '../service/index.ts'],
]

/** A file of a case: with its number, where several cases plant one in the same folder. */
function planted(file: string, index: number): string {
  return file.replace('planted', `planted-${String(index)}`)
}

/** Plants the files of all cases in a copy of our layout and lints them at once; resolves to the complaints, one a line. */
function lintPlanted(): string[] {
  const cases = [...forbidden, ...allowed].map(([file, imported], index) => ({ file: planted(file, index), imported }))
  for (const { file, imported } of cases) write(join(dirname(file), imported), 'export const thing = 1\n')
  for (const { file, imported } of cases) {
    write(file, `import { thing as imported } from '${imported}'\nexport const thing = imported\n`)
  }
  const run = lint('.', '--format=unix')
  expect(run.status).not.toBe(0)
  return run.stdout.split('\n')
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(plot, file)), { recursive: true })
  writeFileSync(join(plot, file), text)
}

function lint(...args: string[]) {
  return spawnSync(join(root, 'node_modules/.bin/oxlint'), args, { cwd: plot, encoding: 'utf8' })
}

let complaints: string[]
beforeAll(() => {
  complaints = lintPlanted()
})

const about = (file: string) => complaints.filter((line) => line.startsWith(`${file}:`))

test.each(forbidden.map(([file, imported], index) => [file, imported, planted(file, index)] as const))(
  'the linter is red when %s imports %s',
  (_, __, path) => expect(about(path).join('\n')).toContain('no-restricted-imports'),
)

test.each(allowed.map(([file, imported], index) => [file, imported, planted(file, forbidden.length + index)] as const))(
  'the linter lets %s import %s',
  (_, __, path) => expect(about(path)).toEqual([]),
)

test('the linter is red when two modules import each other', () => {
  write('src/contract/one.ts', "import { two } from './two.ts'\nexport const one = () => two\n")
  write('src/contract/two.ts', "import { one } from './one.ts'\nexport const two = () => one\n")
  const run = lint('src/contract/one.ts')
  expect(run.stdout).toContain('import(no-cycle)')
  expect(run.status).not.toBe(0)
})
