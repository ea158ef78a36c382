import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { gitlabTemplate } from '../../../src/dev/ci-template.ts'
import { version } from '../../../src/version.ts'
import type { Served } from '../../serve.ts'
import { publishedCommand, servePublished } from '../published.ts'
import { temporaryFolder, tracegate } from '../run.ts'
import { action, gitlabInputs, runOnGitHub, runOnGitLab, type Inputs, type Job } from './runners.ts'

let served: Served
let url: string
/** The published package, which `npx` would install. */
let command: string
beforeAll(async () => {
  served = await servePublished()
  url = new URL(served.endpoints.rest).origin
  command = `${process.execPath} ${await publishedCommand()}`
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
})

let folder: ReturnType<typeof temporaryFolder>
let product: string
let created = 0
beforeEach(async () => {
  folder = temporaryFolder()
  created += 1
  const { workspaces } = await served.rest<{ workspaces: { id: string }[] }>('GET', '/v1/workspaces')
  const path = `/v1/workspaces/${workspaces[0]?.id ?? ''}/products`
  product = (await served.rest<{ product: { id: string } }>('POST', path, { name: `Shop ${String(created)}` })).product
    .id
})
afterEach(() => folder[Symbol.dispose]())

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true })
  writeFileSync(join(folder.path, path), text)
}

const junit = (name: string, inside = '') =>
  `<testsuites name="vitest tests"><testsuite name="test/cart.test.ts"><testcase classname="test/cart.test.ts" name="${name}">` +
  `${inside}</testcase></testsuite></testsuites>`
const failure = '<failure message="expected 1 to be 2">at test/cart.test.ts:7</failure>'

const tests = async () =>
  (await served.rest<{ tests: { title: string }[] }>('GET', `/v1/products/${product}/tests`)).tests.map(
    ({ title }) => title,
  )

/** The run of the newest result of a test. */
async function lastRun(id: string): Promise<string | undefined> {
  type Answer = { recent_results: { run_id: string }[] }
  return (await served.rest<Answer>('GET', `/v1/tests/${id}`)).recent_results[0]?.run_id
}

/** An error of a backend, which has a server key. */
async function crashInProduction(release: string): Promise<void> {
  const args = ['admin', 'key', 'add', '--server', '--product', product, '--data', served.dataDir]
  const { origin, username: key, pathname } = new URL((await tracegate(args)).stdout.trim())
  const exception = { values: [{ type: 'ServerError', value: 'no cart' }] }
  const event = { event_id: crypto.randomUUID().replaceAll('-', ''), release, environment: 'production', exception }
  const body = ['{}', '{"type":"event"}', JSON.stringify(event)].join('\n')
  const { status } = await fetch(`${origin}/api${pathname}/envelope/?sentry_key=${key}`, { method: 'POST', body })
  expect(status).toBe(200)
}

test('the template for GitLab is written from the action, with the same inputs and defaults', () => {
  const template = resolve(import.meta.dirname, '../../../templates/tracegate.gitlab-ci.yml')
  expect(readFileSync(template, 'utf8')).toBe(gitlabTemplate())
  const { token: _secret, ...named } = action.inputs
  const { stage: _ofGitLab, ...inputs } = gitlabInputs
  const defaults = (all: typeof inputs) => Object.entries(all).map(([name, one]) => [name, one.default])
  expect(defaults(inputs)).toEqual(defaults(named))
  expect(named['command']?.default).toBe(`npx --yes tracegate@${version}`)
})

const systems = { GitHub: runOnGitHub, GitLab: runOnGitLab }

describe.each(Object.keys(systems) as (keyof typeof systems)[])('on %s', (system) => {
  const run = (inputs: Inputs, variables: Record<string, string> = {}): Promise<Job> =>
    systems[system]({
      folder: folder.path,
      inputs: { command, url, token: served.endpoints.token, product, timeout: '0', ...inputs },
      variables,
    })

  /** GitLab has no outputs of a job. */
  const outputs = (verdict: string, code: number) => (system === 'GitHub' ? { verdict, 'exit-code': String(code) } : {})

  test('reports of several files are sent, and the verdict decides the job', async () => {
    write('reports/unit/a.xml', junit('adds up'))
    write('reports/more reports/b.xml', junit('takes away'))
    const passed = await run({ reports: 'reports/unit\nreports/more reports/*.xml\n' })
    expect(passed.log).toContain('Sent 2 reports')
    expect(passed.code).toBe(0)
    expect((await tests()).toSorted()).toEqual(['adds up', 'takes away'])
    write('reports/unit/a.xml', junit('adds up', failure))
    const failed = await run({ reports: 'reports/unit' })
    expect(failed.code).toBe(1)
    expect((await run({ allow: 'warn-only' })).code).toBe(0)
    expect(passed.outputs).toEqual(outputs('passed', 0))
    expect(failed.outputs).toEqual(outputs('failed', 1))
    expect(system === 'GitHub' ? failed.summary : failed.log).toContain('adds up')
    expect(failed.log.includes('::error')).toBe(system === 'GitHub')
  })

  test('without evidence the job is inconclusive, which may be allowed; without the gate nothing is asked', async () => {
    const empty = await run({})
    expect(empty.code).toBe(2)
    expect((await run({ allow: 'inconclusive' })).code).toBe(0)
    const unasked = await run({ gate: 'false' })
    expect([unasked.code, unasked.log]).toEqual([0, ''])
    expect(unasked.outputs).toEqual(outputs('not asked', 0))
  })

  test('the tests that ran in ci and the errors in production decide about the release', async () => {
    write('a.xml', junit('adds up'))
    const inputs = { reports: 'a.xml', release: 'shop@1.2.0', environment: 'ci' }
    expect((await run(inputs)).code).toBe(0)
    await crashInProduction('shop@1.2.0')
    const job = await run(inputs)
    expect(job.code).toBe(1)
    expect(system === 'GitHub' ? job.summary : job.log).toContain('ServerError')
    write('a.xml', junit('adds up', failure))
    expect((await run({ ...inputs, release: 'shop@1.2.1' })).code).toBe(1)
  })

  test('source maps of a build are uploaded for the release', async () => {
    write('src/cart.ts', 'export function total(): number {\n  throw new Error("empty")\n}\ntotal()\n')
    await build({
      entryPoints: [join(folder.path, 'src/cart.ts')],
      outfile: join(folder.path, 'the build/cart.js'),
      sourcemap: true,
      minify: true,
    })
    const job = await run({ 'source-maps': 'the build', release: 'shop@1.0.0', gate: 'false' })
    expect(job.log).toContain('for release shop@1.0.0')
    expect(job.code).toBe(0)
    const without = await run({ 'source-maps': 'the build', gate: 'false' })
    expect(without.code).toBe(3)
    expect(without.log).toContain('--release')
  })

  test('two jobs that share the tests are one run', async () => {
    write('a.xml', junit('adds up'))
    write('b.xml', junit('takes away', failure))
    const shared = { 'run-key': 'run 7', gate: 'false' }
    await run({ reports: 'a.xml', ...shared })
    await run({ reports: 'b.xml', ...shared })
    const { tests: cases } = await served.rest<{ tests: { id: string }[] }>('GET', `/v1/products/${product}/tests`)
    const runs = await Promise.all(cases.map(({ id }) => lastRun(id)))
    expect(runs).toHaveLength(2)
    expect(runs[0]).toBe(runs[1])
  })

  test('a job that could not send or ask says why and ends with 3', async () => {
    const secretless = await run({ token: '' })
    expect(secretless.code).toBe(3)
    expect(secretless.log).toContain('TRACEGATE_API_TOKEN is empty')
    const unclear = await run({ gate: 'no' })
    expect([unclear.code, unclear.log]).toEqual([3, 'tracegate: the input gate is neither true nor false.\n'])
    const away = await run({ url: 'http://127.0.0.1:9', reports: 'nothing.xml' })
    expect(away.code).toBe(3)
    const wrong = await run({ token: `tg_${'x'.repeat(40)}` })
    expect(wrong.code).toBe(3)
    const unread = await run({ reports: 'nothing.xml', allow: 'warn-only' })
    expect(unread.code).toBe(3)
    expect(unread.log).toContain('nothing.xml')
    expect(unread.outputs).toEqual(outputs('passed', 3))
  })

  test('names that a shell would run are names, and the token is in no output', async () => {
    const hostile = '$(touch run-1); `touch run-2` "\' && touch run-3 #'
    write(`reports/-x ${hostile}.xml`, junit('adds up'))
    const branch = system === 'GitHub' ? 'GITHUB_HEAD_REF' : 'CI_COMMIT_BRANCH'
    const job = await run(
      { reports: `reports/-x ${hostile}.xml`, environment: 'ci', release: '-$(touch run-4)' },
      { [branch]: `${hostile}\ntouch run-5` },
    )
    expect(job.log).toContain('Sent 1 report')
    expect(await tests()).toEqual(['adds up'])
    expect(readdirSync(folder.path).filter((name) => name.startsWith('run-'))).toEqual([])
    for (const text of [job.log, job.summary, JSON.stringify(job.outputs)]) {
      expect(text).not.toContain(served.endpoints.token)
    }
  })
})
