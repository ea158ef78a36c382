import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { againstDeployment } from '../deployment.ts'
import { temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const data = ['--data', join(folder.path, 'data')]
/** Whatever CI runs these tests, its own variables say nothing here. */
const noCi = { GITHUB_ACTIONS: '', GITLAB_CI: '', GITHUB_STEP_SUMMARY: '' }
const gate = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  tracegate(['gate', ...args, ...data], { ...noCi, ...env })

async function report(name: string, inside: string, args: readonly string[] = []): Promise<void> {
  const file = join(folder.path, 'junit.xml')
  const one = `<testcase classname="test/cart.test.ts" name="${name}">${inside}</testcase>`
  writeFileSync(
    file,
    `<testsuites name="vitest tests"><testsuite name="test/cart.test.ts">${one}</testsuite></testsuites>`,
  )
  expect((await tracegate(['report', file, ...args, ...data], noCi)).code).toBe(0)
}

const failure = '<failure message="expected 1 to be 2">at test/cart.test.ts:7</failure>'

test('gate exits with 2 without evidence, 0 when it passes, 1 when it fails, and 3 when it could not ask', async () => {
  const empty = await gate()
  expect(empty).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^INCONCLUSIVE: My product, the whole product\n/),
  })
  expect((await gate(['--allow', 'inconclusive'])).code).toBe(0)
  await report('adds up', '')
  const passed = await gate()
  expect(passed.stdout).toMatch(/^(?:PASS|WARN): /)
  expect(passed.code).toBe(0)
  await report('removes', failure)
  const failed = await gate()
  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(/FAIL blocking {2}Failing tests: .*\n {4}TC-\d+ \(new\) removes - /)
  expect((await gate(['--allow', 'warn-only'])).code).toBe(0)
  expect(await gate(['--release', '9.9.9'])).toMatchObject({ code: 3, stderr: expect.stringContaining('release') })
  expect((await gate(['--timeout', 'soon'])).code).toBe(3)
})

test('with a baseline only what is new fails', async () => {
  const [, id = ''] = /verdict (\S+)/.exec((await gate()).stdout) ?? []
  const known = await gate(['--baseline', id])
  expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing new fails since the baseline') })
  await report('breaks too', failure)
  expect((await gate(['--baseline', id])).code).toBe(1)
})

test('a version of several environments is judged in production', async () => {
  await report('adds up', '', ['--release', '3.0.0', '--environment', 'ci'])
  await report('adds up', '', ['--release', '3.0.0', '--environment', 'production'])
  expect((await gate(['--release', '3.0.0'])).stdout).toMatch(/^\w+: My product, release \S+ in production\n/)
})

test('the step summary and a file are written, and HTML has no script', async () => {
  const summary = join(folder.path, 'summary.md')
  const file = join(folder.path, 'gate.html')
  const { stdout } = await gate(['--format', 'html', '--output', file], { GITHUB_STEP_SUMMARY: summary })
  expect(stdout).toMatch(/^FAIL: /)
  expect(readFileSync(summary, 'utf8')).toContain('Quality gate: FAIL')
  const html = readFileSync(file, 'utf8')
  expect(html).toContain('removes')
  expect(html).not.toMatch(/<script|https?:\/\//)
})

test('a release that only a test run named is called as the command line calls it', async () => {
  await report('ships', '', ['--release', '2.3.0', '--environment', 'ci'])
  const { stdout } = await gate(['--release', '2.3.0'])
  expect(stdout).toMatch(/^PASS: My product, release 2\.3\.0 in ci\n/)
})

test('a commit without results is not judged by those of others', async () => {
  const { code, stdout } = await gate(['--commit', 'ffffffff'])
  expect(stdout).toContain('commit ffffffff')
  expect(code).toBe(2)
})

test('a release in two environments, and a name that the deployment cannot look up, are told with the flag', async () => {
  const other = ['--data', join(folder.path, 'other')]
  const release = ['--release', '1.0.0']
  const file = join(folder.path, 'junit.xml')
  for (const environment of ['production', 'live']) {
    // The same report would be one run, which keeps its environment.
    const run = ['--run-key', environment, ...release, '--environment', environment]
    expect((await tracegate(['report', file, ...run, ...other], noCi)).code).toBe(0)
  }
  const several = await tracegate(['gate', ...release, ...other], noCi)
  expect(several.stderr).toBe(
    'tracegate: several releases match; the same command with --environment NAME, such as --environment live\n',
  )

  await using app = await startApp()
  const send = reshaped(app.service.direct, 'noRoute:listReleases')
  const env = { ...noCi, TRACEGATE_API_TOKEN: app.token }
  expect((await againstDeployment(send, ['gate', ...release], env)).stderr).toBe(
    'tracegate: this deployment does not offer the list of releases; the same command without --release\n',
  )
})

test('gate says in one line which file it cannot write, and why', async () => {
  const missing = join(folder.path, 'missing', 'verdict.json')
  const [toFile, toFolder, toSummary] = [
    await gate(['--output', missing, '--format', 'json']),
    await gate(['--output', folder.path, '--format', 'json']),
    await gate([], { GITHUB_STEP_SUMMARY: missing }),
  ]
  const line = (file: string, why: string) => ({ code: 3, stderr: `tracegate: ${file} cannot be written: ${why}\n` })
  expect(toFile).toMatchObject(line(missing, 'its folder does not exist'))
  expect(toFolder).toMatchObject(line(folder.path, 'it is a folder'))
  expect(toSummary).toMatchObject(line(missing, 'its folder does not exist'))
})

test.runIf(existsSync('/dev/full'))('gate says that a disk is full', async () => {
  expect(await gate([], { GITHUB_STEP_SUMMARY: '/dev/full' })).toMatchObject({
    code: 3,
    stderr: 'tracegate: /dev/full cannot be written: the disk is full\n',
  })
})

test('a baseline that is no verdict of the product is named', async () => {
  expect(await gate(['--baseline', 'nope'])).toMatchObject({
    code: 3,
    stderr: 'tracegate: --baseline: this product has no verdict nope; tracegate gate prints the id of each\n',
  })
})
