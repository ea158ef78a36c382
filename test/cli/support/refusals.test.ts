import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Send, WireReply } from '../../../src/contract/base/wire.ts'
import { startApp, type App } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { againstDeployment } from '../deployment.ts'
import { temporaryFolder } from '../run.ts'

const folder = temporaryFolder()
const report = join(folder.path, 'junit.xml')
const build = join(folder.path, 'build')
let app: App
beforeAll(async () => {
  app = await startApp()
  writeFileSync(report, '<testsuite><testcase classname="cart" name="adds"/></testsuite>')
  mkdirSync(build)
  const map = { version: 3, sources: ['a.ts'], sourcesContent: ['a()'], names: [], mappings: 'AAAA' }
  writeFileSync(join(build, 'app.js'), 'a()\n//# sourceMappingURL=app.js.map\n')
  writeFileSync(join(build, 'app.js.map'), JSON.stringify(map))
})
afterAll(async () => {
  await app.close()
  folder[Symbol.dispose]()
})

const commands: readonly (readonly [name: string, args: readonly string[], exitCode: number])[] = [
  ['gate', ['gate'], 3],
  ['report', ['report', report], 1],
  ['init', ['init', folder.path], 1],
  ['sourcemaps', ['sourcemaps', 'upload', build, '--release', 'web@1'], 1],
]

/** What a command says last on stderr, and its exit code, against a deployment that answers as `send` does. */
async function refusal(send: Send, args: readonly string[], token = app.token) {
  // The tests themselves may run in CI.
  const env = { CI: '', GITHUB_ACTIONS: '', GITLAB_CI: '', TRACEGATE_API_TOKEN: token }
  const { code, stderr } = await againstDeployment(send, args, env)
  return { code, last: stderr.trimEnd().split('\n').at(-1) }
}

/** The deployment with this answer to every request that writes. */
function toWrites(reply: WireReply): Send {
  return (request) => (request.method === 'GET' ? app.service.direct(request) : Promise.resolve(reply))
}

test.each(commands)('%s says where a token comes from that the deployment does not accept', async (_, args, code) => {
  expect(await refusal(app.service.direct, args, 'tg_no')).toEqual({
    code,
    last: 'tracegate: GET /v1/workspaces returned 401 TOKEN_INVALID; set TRACEGATE_API_TOKEN to a valid token of this service',
  })
})

test.each(commands)('%s names the scope that the token lacks', async (_, args, code) => {
  const details = [{ reason: 'SCOPE_MISSING', metadata: { scope: 'write' } }]
  const body = JSON.stringify({ code: 7, message: 'no', details })
  expect(await refusal(toWrites({ status: 403, headers: {}, body }), args)).toEqual({
    code,
    last: expect.stringMatching(/^tracegate: POST \S+ returned 403 SCOPE_MISSING; use a token with the scope write$/),
  })
})

test.each(commands)('%s takes a page in place of an answer for that of a proxy', async (_, args, code) => {
  const reply = { status: 403, headers: { 'content-type': 'text/html' }, body: '<html><h1>Blocked</h1></html>' }
  expect(await refusal(toWrites(reply), args)).toEqual({
    code,
    last: expect.stringMatching(/ may have replied; check TRACEGATE_BASE_URL, and the proxy or firewall in front of /),
  })
})

test.each(commands.slice(1, 3))('%s says what to do after a write without an answer', async (_, args, code) => {
  expect(await refusal(toWrites({ status: 502, headers: {}, body: '' }), args)).toEqual({
    code,
    last: expect.stringMatching(/ taken effect; look at the current state before you run the command again$/),
  })
})

test.each(commands)('%s uses the product that is named by its id where products are not listed', async (_, args) => {
  const send = reshaped(app.service.direct, 'noRoute:listProducts', 'noRoute:listWorkspaces')
  const unnamed = await refusal(send, args)
  expect(unnamed.last).toBe(
    'tracegate: this deployment does not list workspaces or products, or the base address is wrong: check TRACEGATE_BASE_URL, or name the product by its id with --product',
  )
  const named = await refusal(send, [...args, '--product', app.productId])
  expect(named.last).not.toContain('does not list')
  // Nothing listens at the address for the source map.
  expect(named.code).toBe({ gate: 2, sourcemaps: 1 }[args[0] ?? ''] ?? 0)
})
