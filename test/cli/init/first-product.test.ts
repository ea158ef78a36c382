import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { connectClient, connected, type Connected } from '../../mcp/clients.ts'
import { eventually } from '../../serve.ts'
import { serveHere, temporaryFolder, tracegate } from '../run.ts'

const run = promisify(execFile)
const python = '/usr/bin/python3'
const hasPython = spawnSync(python, ['-c', 'import sentry_sdk']).status === 0
const hasPytest = spawnSync(python, ['-m', 'pytest', '--version']).status === 0
if (!hasPython) console.warn('skipped: no python3-sentry-sdk on this machine (apt-get install python3-sentry-sdk)')

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** An application in a folder of its own, set up by `init` alone. */
interface Application {
  root: string
  data: string
  /** What `init` printed. */
  printed: string
}

async function setUp(name: string, files: Record<string, string>): Promise<Application> {
  const root = join(folder.path, name)
  const data = join(folder.path, `${name}-data`)
  for (const [path, text] of Object.entries({ '.git/HEAD': 'ref: refs/heads/main\n', ...files }))
    write(root, path, text)
  const { code, stdout: printed } = await tracegate(['init', root, '--key-prefix', 'LEDG', '--data', data])
  expect(code).toBe(0)
  return { root, data, printed }
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** The printed command of Tracegate that begins so, as words of a shell for the given version. */
function commandIn({ printed }: Application, start: string, version = ''): string[] {
  const [, line = ''] = new RegExp(`^ +node \\S+ (${start}.*)$`, 'm').exec(printed) ?? []
  if (line === '') throw new Error(`init does not print ${start}`)
  return line.replace('"$VERSION"', version).split(' ')
}

/** The variables that the application is started with: those that `init` names, with a key that counts. */
async function settings(application: Application, rest: string): Promise<Record<string, string>> {
  const { stdout } = await tracegate(commandIn(application, 'admin key add'))
  const dsn = new URL(stdout.trim())
  dsn.host = new URL(rest).host
  const names = /^ +export (SENTRY_DSN)='[^']+' (SENTRY_RELEASE)=\S+ (SENTRY_ENVIRONMENT)=(\S+)$/m
  const [, address = '', release = '', environment = '', value = ''] = names.exec(application.printed) ?? []
  return { [address]: dsn.href, [release]: '1.0.0', [environment]: value, PATH: process.env['PATH'] ?? '' }
}

const Entry = z.object({
  mcpServers: z.object({ tracegate: z.object({ command: z.string(), args: z.array(z.string()) }) }),
})

/** The agent, as the printed command configures its client. */
async function connectAgent(application: Application): Promise<Connected> {
  const home = `${application.root}-home`
  expect(await tracegate(commandIn(application, 'install claude-code'), { HOME: home })).toMatchObject({ code: 0 })
  const { mcpServers } = Entry.parse(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')))
  const client = connectClient('2026-07-28')
  if (!(client instanceof Client)) throw new Error('the newest client has this transport')
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TRACEGATE_LOG_LEVEL: 'silent' }
  await client.connect(
    new StdioClientTransport({ ...mcpServers.tracegate, cwd: application.root, env, stderr: 'ignore' }),
  )
  return connected(client, () => client.close())
}

interface Walk {
  /** The file that the crash is in. */
  crashesIn: string
  /** Writes a test that names the requirement so, and runs it into `reports`. */
  runTest(this: void, naming: string): Promise<void>
}

/** From the crash to the verdict, with the tools and commands that the answers and `init` name. */
async function walk(application: Application, { crashesIn, runTest }: Walk): Promise<void> {
  await using agent = await connectAgent(application)
  let calls = 0
  const said = async (tool: string, args: Record<string, unknown> = {}) => {
    calls += 1
    const { text, isError } = await agent.call(tool, args)
    expect([tool, isError, text]).toEqual([tool, false, text])
    return text
  }
  await eventually('the crash', async () => ((await said('find_error_issues')).includes('LEDG-1') ? true : undefined))
  expect(await said('get_fix_context', { issue: 'LEDG-1' })).toContain(`${crashesIn} | `)
  const title = 'An order with a line without a price is refused'
  expect(
    await said('save_requirement', {
      title,
      criteria: ['The total of a line without a price is an error that says so'],
      files: [crashesIn],
    }),
  ).toContain('Created REQ-1')
  const context = await said('get_test_context', { requirement: 'REQ-1' })
  const [, naming = ''] = /in the test, with (\[REQ-1\.1\]|record_property\(.*?\)) in the /.exec(context) ?? []
  expect(naming).not.toBe('')
  await runTest(naming)
  const report = commandIn(application, 'report reports', '1.0.0')
  const sent = await tracegate([report[0] ?? '', join(application.root, 'reports'), ...report.slice(2)])
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('verified 0 -> 1') as string })
  expect(await said('find_coverage_gaps')).toContain('every requirement that needs a test is verified')
  // The crash that the backend reported with its secret key is still open.
  const verdict = await said('compute_quality_gate')
  expect(verdict).toMatch(/^FAIL: 1 blocking condition fails: new_issues/)
  expect(verdict).toContain('LEDG-1')
  const gate = await tracegate(commandIn(application, 'gate', '1.0.0'))
  expect(gate).toMatchObject({ code: 1, stdout: expect.stringMatching(/LEDG-1/) as string })
  // Without results of tests this condition would not be evaluated.
  expect(gate.stdout).toMatch(/^passed: failing_tests/m)
  // The folder has no remote, which is all that init could not find.
  expect(await said('verify_setup')).toContain('repository_configured | missing')
  expect(calls).toBeLessThanOrEqual(12)
}

test('a new TypeScript application gets from init to a verdict, by what init prints', async () => {
  const application = await setUp('ledger', {
    'package.json': '{"name":"ledger","type":"module"}',
    CODEOWNERS: '/src/checkout/ @pay\n',
    'src/main.ts':
      "import * as Sentry from '@sentry/node'\nimport { total } from './checkout/total.ts'\n" +
      'try {\n  total([{} as never])\n} catch (error) {\n  Sentry.captureException(error)\n}\nawait Sentry.flush(5000)\n',
    'src/checkout/total.ts':
      'export function total(lines: { price: { cents: number } }[]): number {\n' +
      '  return lines.reduce((sum, line) => sum + line.price.cents, 0)\n}\n',
  })
  const { root } = application
  expect(application.printed).toContain('checkout: src/checkout/**, owned by @pay\n')
  symlinkSync(resolve(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
  await using served = await serveHere({ dataDir: application.data })
  await build({
    entryPoints: [join(root, 'src/main.ts')],
    outdir: join(root, 'dist'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: true,
    external: ['@sentry/node'],
    logLevel: 'silent',
  })
  const upload = commandIn(application, 'sourcemaps upload', '1.0.0')
  expect(await tracegate(upload.map((word) => (word === 'dist' ? join(root, 'dist') : word)))).toMatchObject({
    code: 0,
  })
  const [, file = '', code = ''] =
    /^ +\/\/ (instrument\.mjs), .*: node --import \.\/instrument\.mjs …\n((?: +[^/ ].*\n)+)/m.exec(
      application.printed,
    ) ?? []
  write(root, file, code)
  expect(application.printed).toContain('Sentry.captureException(error)\n')
  await run(process.execPath, ['--import', `./${file}`, 'dist/main.js'], {
    cwd: root,
    env: await settings(application, served.endpoints.rest),
  })
  await walk(application, {
    crashesIn: 'src/checkout/total.ts',
    async runTest(naming) {
      write(
        root,
        'test/total.test.ts',
        "import assert from 'node:assert'\nimport { test } from 'node:test'\n" +
          "import { total } from '../src/checkout/total.ts'\n" +
          `test('${naming} refuses a line without a price', () => assert.throws(() => total([{} as never])))\n`,
      )
      const [, line = ''] = /^ +(mkdir -p reports && node --test .*)$/m.exec(application.printed) ?? []
      await run('sh', ['-c', line], { cwd: root, env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } })
      expect(existsSync(join(root, 'reports/junit.xml'))).toBe(true)
    },
  })
})

/** What pytest writes for the test, for machines without it. */
const pytestReport =
  '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="1" ' +
  'time="0.01"><testcase classname="tests.test_total" name="test_total" file="tests/test_total.py" line="4" time="0.001">' +
  '<properties><property name="requirement" value="REQ-1" /></properties></testcase></testsuite></testsuites>'

test.skipIf(!hasPython)('a new Python application gets from init to a verdict, by what init prints', async () => {
  const application = await setUp('books', {
    'pyproject.toml': '[project]\nname = "books"\n',
    'books/__init__.py': '',
    'books/checkout/__init__.py': '',
    'books/main.py':
      'import sentry_sdk\nfrom books.checkout.total import total\n\nsentry_sdk.init()\n' +
      'try:\n    total([{"price": None}])\nexcept TypeError:\n    sentry_sdk.capture_exception()\nsentry_sdk.flush(10)\n',
    'books/checkout/total.py': 'def total(lines):\n    return sum(line["price"]["cents"] for line in lines)\n',
  })
  const { root } = application
  expect(application.printed).toContain('\n     sentry_sdk.init()\n')
  expect(application.printed).toContain('sentry_sdk.capture_exception(error)\n')
  await using served = await serveHere({ dataDir: application.data })
  await run(python, ['-m', 'books.main'], { cwd: root, env: await settings(application, served.endpoints.rest) })
  await walk(application, {
    crashesIn: 'books/checkout/total.py',
    async runTest(naming) {
      write(
        root,
        'tests/test_total.py',
        'import pytest\nfrom books.checkout.total import total\n\n\n' +
          `def test_total(record_property):\n    ${naming}\n    with pytest.raises(TypeError):\n` +
          '        total([{"price": None}])\n',
      )
      const [, words = ''] = /^ +pytest (-o junit_family=xunit1 --junitxml=\S+)$/m.exec(application.printed) ?? []
      if (!hasPytest) return write(root, 'reports/pytest.xml', pytestReport)
      const { stdout } = await run(python, ['-m', 'pytest', ...words.split(' ')], { cwd: root })
      expect(stdout).toMatch(/ 1 passed in /)
    },
  })
})
