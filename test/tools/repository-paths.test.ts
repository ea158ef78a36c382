import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLocalFiles } from '../../src/mcp/files/local-files.ts'
import { connect, type Called, type Connected } from '../mcp/clients.ts'
import { closedMachine } from '../mcp/checks/machine.ts'
import { openShop, type Shop } from './shop.ts'

const tree = [
  'server/src/main/java/com/acme/pay/Gateway.java',
  'server/src/main/java/com/acme/mail/Gateway.java',
  'server/src/main/kotlin/com/acme/pay/Refund.kt',
  'server/src/main/scala/com/acme/pay/Ledger.scala',
  'server/src/main/clojure/acme/pay/rates.clj',
  'src/Pay/Gateway.cs',
  'src/Pay/Refund.cs',
  'pkg/pay/gateway.go',
  'pkg/mail/mail.go',
  'backend/shop/pay.py',
  'app/models/cart.rb',
  'src/Http/CartController.php',
  'crates/pay/src/lib.rs',
  'ios/Shop/Cart/CartView.swift',
  'packages/shop/lib/src/cart.dart',
  'packages/admin/lib/src/cart.dart',
  'apps/shop/lib/shop/pay.ex',
  'native/src/engine.cpp',
  'web/src/cart.ts',
  'web/public/assets/app-NYNX3Q3S.js',
  'one/util/log.go',
  'two/util/log.go',
]

let root: string
let shop: Shop
let agent: Connected

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-tree-')))
  for (const path of tree) put(join('tree', path))
  put('outside/etc/passwd')
  put('outside/secret.go')
  symlinkSync(join(root, 'outside'), join(root, 'tree/linked'))
  shop = await openShop()
  agent = await connect(shop.api, { ...closedMachine, local: createLocalFiles([join(root, 'tree')]) })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
  rmSync(root, { recursive: true, force: true })
})

function put(path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), '')
}

let cases = 0
/** The issue of one event with one in-app frame. */
async function issueOf(platform: string, frame: Record<string, unknown>): Promise<string> {
  cases += 1
  const stacktrace = { frames: [{ function: 'pay', lineno: 7, in_app: true, ...frame }] }
  const exception = { values: [{ type: 'Error', value: 'no', stacktrace }] }
  await shop.crash(5, { platform, fingerprint: [`path ${String(cases)}`], exception })
  const { issues } = await shop.api.listIssues({ product_id: shop.productId, sort: 'first_seen', page_size: 1 })
  return issues[0]?.short_id ?? ''
}

interface Data {
  files?: { file: string; matched: string }[]
  files_note?: string
}
const dataOf = ({ structured }: Called) => (structured as { data: Data }).data

async function fixContextOf(platform: string, frame: Record<string, unknown>): Promise<Data> {
  return dataOf(await agent.call('get_fix_context', { issue: await issueOf(platform, frame) }))
}

test.each<[platform: string, frame: Record<string, unknown>, file: string]>([
  ['java', { module: 'com.acme.pay.Gateway', filename: 'Gateway.java' }, tree[0]!],
  ['java', { module: 'com.acme.mail.Gateway$Retry$1', filename: 'Gateway.java' }, tree[1]!],
  ['java', { module: 'com.acme.pay.RefundKt', filename: 'Refund.kt' }, tree[2]!],
  ['java', { module: 'com.acme.pay.Ledger$', filename: 'Ledger.scala' }, tree[3]!],
  ['java', { module: 'acme.pay.rates$convert', filename: 'rates.clj' }, tree[4]!],
  ['csharp', { filename: 'D:\\a\\shop\\shop\\src\\Pay\\Gateway.cs' }, 'src/Pay/Gateway.cs'],
  ['csharp', { filename: '/_/src/Pay/Refund.cs' }, 'src/Pay/Refund.cs'],
  ['go', { abs_path: '/home/runner/work/shop/shop/pkg/pay/gateway.go' }, 'pkg/pay/gateway.go'],
  ['go', { abs_path: '/go/src/github.com/acme/shop/pkg/mail/mail.go' }, 'pkg/mail/mail.go'],
  ['go', { filename: 'github.com/acme/shop@v1.2.3/pkg/mail/mail.go' }, 'pkg/mail/mail.go'],
  ['go', { module: 'github.com/acme/shop/pkg/pay', function: '(*T).Do', filename: 'gateway.go' }, 'pkg/pay/gateway.go'],
  ['python', { module: 'shop.pay', filename: 'shop/pay.py', abs_path: '/app/shop/pay.py' }, 'backend/shop/pay.py'],
  ['ruby', { abs_path: '/srv/shop/releases/20261101/app/models/cart.rb' }, 'app/models/cart.rb'],
  ['php', { filename: '/var/www/html/src/Http/CartController.php' }, 'src/Http/CartController.php'],
  ['native', { filename: '/build/shop/crates/pay/src/lib.rs' }, 'crates/pay/src/lib.rs'],
  ['cocoa', { filename: 'CartView.swift', abs_path: '/Users/ci/ios/Shop/Cart/CartView.swift' }, tree[13]!],
  ['elixir', { filename: 'lib/shop/pay.ex', module: 'Shop.Pay' }, 'apps/shop/lib/shop/pay.ex'],
  ['native', { abs_path: 'C:\\build\\agent\\native\\src\\engine.cpp' }, 'native/src/engine.cpp'],
  ['node', { filename: 'app:///web/src/cart.ts' }, 'web/src/cart.ts'],
])('the file of a %s frame %j is found as %s', async (platform, frame, file) => {
  const { files, files_note: note } = await fixContextOf(platform, frame)
  expect(files).toMatchObject([{ file }])
  expect(files?.[0]?.matched).toMatch(/^this machine/)
  expect(note).toBeUndefined()
})

test('the way a path was matched is said', async () => {
  const exact = await fixContextOf('go', { filename: 'pkg/mail/mail.go' })
  expect(exact.files?.[0]?.matched).toBe('this machine')
  const byEnd = await fixContextOf('go', { filename: '/build/pkg/mail/mail.go' })
  expect(byEnd.files?.[0]?.matched).toBe('this machine (end of path)')
})

test('a built file that no source map resolved is not sent to, even where the last build is on this machine', async () => {
  const built = { filename: 'https://shop.example/assets/app-NYNX3Q3S.js', lineno: 2, colno: 3614 }
  const { files } = await fixContextOf('javascript', { ...built, abs_path: built.filename })
  expect(files).toBeUndefined()
})

test('two files that fit equally well give none, and the result says so', async () => {
  for (const frame of [{ filename: '/build/util/log.go' }, { filename: 'package:other/src/cart.dart' }]) {
    const { files, files_note: note } = await fixContextOf('go', frame)
    expect(files).toBeUndefined()
    expect(note).toContain('1 file fits several paths equally well')
  }
})

test.each([
  '../../etc/passwd',
  '/etc/passwd',
  '../outside/secret.go',
  'linked/secret.go',
  '/x/linked/secret.go',
  'secret.go',
])('%s is not a file of the tree', async (filename) => {
  const { files, files_note: note } = await fixContextOf('go', { filename })
  expect(files).toBeUndefined()
  expect(note).toContain('not matched to the repository')
})

test('an absolute path outside the root is not matched, whatever exists there', async () => {
  const { files } = await fixContextOf('go', { filename: join(root, 'outside/secret.go') })
  expect(files).toBeUndefined()
})

test('a search that ended at its limits is named', async () => {
  const files = createLocalFiles([join(root, 'tree')])
  const local = { ...files, find: () => Promise.resolve({ paths: [], isComplete: false }) }
  await using here = await connect(shop.api, { ...closedMachine, local })
  const issue = await issueOf('go', { filename: '/build/pkg/mail/mail.go' })
  const { files_note: note } = dataOf(await here.call('get_fix_context', { issue }))
  expect(note).toContain('the folders of this machine are too large to search whole')
  expect((await here.call('get_error_issue', { issue })).text).toContain('the folders are too large to search whole')
})

test('get_error_issue names the file of a frame as this machine does', async () => {
  const issue = await issueOf('java', { module: 'com.acme.pay.Gateway', filename: 'Gateway.java' })
  const called = await agent.call('get_error_issue', { issue })
  expect(called.text).toContain('server/src/main/java/com/acme/pay/Gateway.java:7 pay')
  expect(called.text).toContain('files: 1 of 1 file of in-app frames found on this machine')
})
