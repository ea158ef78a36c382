import { expect, test } from 'vitest'
import { groupEvent } from '../../../../src/service/errors/grouping/index.ts'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'

interface Crash {
  /** Where the binary was loaded. */
  base?: number
  /** Of the frames, relative to the binary, the crash last. */
  offsets?: number[]
  build?: string
  images?: unknown[]
  members?: Record<string, unknown>
}

const hex = (address: number) => `0x${address.toString(16)}`

/** A crash of a stripped binary below `__libc_start_main`, which libc exports. */
function strippedCrash({ base = 0x5500_0000_0000, offsets = [0x1040, 0x2a40], build = 'b1', images, members }: Crash) {
  const shop = { type: 'elf', code_file: '/srv/shop', debug_id: build, image_addr: hex(base), image_size: 0x10000 }
  const libc = {
    type: 'elf',
    code_file: '/lib/libc.so.6',
    debug_id: 'c1',
    image_addr: '0x7f0000000000',
    image_size: 4096,
  }
  const start = { function: '__libc_start_main', instruction_addr: '0x7f0000000010', package: '/lib/libc.so.6' }
  const frames = [start, ...offsets.map((offset) => ({ instruction_addr: hex(base + offset), ...members }))]
  const sent = {
    platform: 'native',
    exception: { values: [{ type: 'SIGSEGV', value: 'Segfault', stacktrace: { frames } }] },
    debug_meta: { images: images ?? [libc, shop] },
  }
  return groupEvent(normalise(sent, { eventId: 'a'.repeat(32), receivedAt: 1_760_000_000_000, sizeBytes: 1_000 }))
}

test('crashes at two places of a stripped binary are two issues', () => {
  expect(strippedCrash({ offsets: [0x1040, 0x2a40] }).hash).not.toBe(strippedCrash({ offsets: [0x1040, 0x2b00] }).hash)
  expect(strippedCrash({ offsets: [0x1040, 0x2a40] }).hash).not.toBe(strippedCrash({ offsets: [0x2a40] }).hash)
})

test('where the system loads the binary does not count', () => {
  expect(strippedCrash({ base: 0x5500_0000_0000 }).hash).toBe(strippedCrash({ base: 0x5623_4560_0000 }).hash)
})

test('the same address in another build is another place', () => {
  expect(strippedCrash({ build: 'b1' }).hash).not.toBe(strippedCrash({ build: 'b2' }).hash)
})

test('an address outside of all binaries does not count, as it differs in each run', () => {
  expect(strippedCrash({ images: [], base: 1 }).hash).toBe(strippedCrash({ images: [], base: 99 }).hash)
})

test('an address counts only without a name', () => {
  const members = { function: 'pay(int)' }
  expect(strippedCrash({ offsets: [0x1040], members }).hash).toBe(strippedCrash({ offsets: [0x1044], members }).hash)
})

test('addresses may be relative to the binary already', () => {
  const relative = (index: number, at: number) =>
    strippedCrash({ offsets: [0], members: { addr_mode: `rel:${String(index)}`, instruction_addr: hex(at) } }).hash
  expect(relative(1, 0x2a40)).toBe(strippedCrash({ offsets: [0x2a40] }).hash)
  expect(relative(1, 0x2a40)).not.toBe(relative(1, 0x2a44))
  expect(relative(9, 0x2a40)).toBe(relative(9, 0x2a44))
})

test('the culprit is the place in the binary of the team', () => {
  expect(strippedCrash({}).culprit).toBe('shop+0x2a40')
})

test.each<[name: string, images: unknown[]]>([
  ['a text', ['x']],
  ['no members', [{}]],
  ['an address that is no number', [{ code_file: 'a', image_addr: 'here' }]],
  ['an address of more than 53 bits', [{ code_file: 'a', image_addr: '0xffffffffffffffff' }]],
  ['a negative address', [{ code_file: 'a', image_addr: -5, image_size: -1 }]],
])('a binary with %s is no reason to lose the event', (_, images) => {
  expect(strippedCrash({ images }).title).toBe('SIGSEGV: Segfault')
})
