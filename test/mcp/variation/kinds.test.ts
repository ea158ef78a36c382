import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { getIssueEvent } from '../../../src/contract/issue-events.ts'
import { readAnswer } from '../../../src/client/reader/index.ts'
import { describeVariation } from '../../../src/mcp/variation/index.ts'
import { openBlock } from '../../../src/mcp/text/open-block.ts'

type Event = Parameters<typeof describeVariation>[0][number]
type Sent = Record<string, unknown>

/** Twenty occurrences as a deployment sends them; `differ` says what the occurrence of that number has. */
const twenty = (differ: (nr: number) => Sent) =>
  Array.from({ length: 20 }, (_, nr) => ({ id: `e${String(nr)}`, ...differ(nr) }))

async function describe(sent: readonly Sent[], limits = { lines: 10, values: 5, characters: 300, rest: true }) {
  const events = sent.map((event) => readAnswer(getIssueEvent, { event })['event'] as Event)
  const { varies, same, distinct } = describeVariation(events, limits, (id) => id.slice(0, 13))
  const { content } = await openBlock({ varies, same_in_all: same, different_in_each: distinct })
  return content as { varies?: string[]; same_in_all?: string; different_in_each?: string }
}

const frame = (name: string, more: Sent = {}) => ({
  function: name,
  filename: `src/${name}.ts`,
  lineno: 7,
  in_app: true,
  ...more,
})
const thrown = (frames: Sent[], value = 'no') => ({ exceptions: [{ type: 'Error', value, frames }] })

test.each<[string, (nr: number) => Sent, string]>([
  [
    'tags',
    (nr) => ({ tags: [{ key: 'plan', value: nr < 15 ? 'basic' : 'team' }] }),
    'tag plan: basic (15), team (5, e15)',
  ],
  ['releases', (nr) => ({ release: nr < 15 ? 'a@1' : 'a@2' }), 'release: a@1 (15), a@2 (5, e15)'],
  [
    'parameters of a message',
    (nr) => ({ message: 'no', message_params: [nr < 15 ? 'A' : 'B'] }),
    'message parameter 1: A (15), B (5, e15)',
  ],
  [
    'named parameters of a message',
    (nr) => ({ message: 'no', message_params: [{ sheet: nr < 15 ? 'A' : 'B' }] }),
    'message parameter 1 sheet: A (15), B (5, e15)',
  ],
  [
    'paths of requests',
    (nr) => ({ request: { method: 'GET', url: `https://a.example/${nr < 15 ? 'a' : 'b'}?x=1` } }),
    'request: GET https://a.example/a (15), GET https://a.example/b (5, e15)',
  ],
  [
    'queries of requests',
    (nr) => ({ request: { query_string: nr < 15 ? 'size=1' : 'size=1e3' } }),
    'query size: 1 (15), 1e3 (5, e15)',
  ],
  [
    'contexts',
    (nr) => ({ contexts: { os: { name: nr < 15 ? 'Linux' : 'iOS' } } }),
    'context os.name: Linux (15), iOS (5, e15)',
  ],
  ['extra, where it is null', (nr) => ({ extra: { cart: nr < 15 ? 3 : null } }), 'extra cart: 3 (15), null (5, e15)'],
  [
    'variables of frames',
    (nr) => thrown([frame('pay', { vars: { sum: nr < 15 ? 1 : -1 } })]),
    'variable pay.sum: 1 (15), -1 (5, e15)',
  ],
  [
    'lengths of lists',
    (nr) => thrown([frame('pay', { vars: { rows: nr < 15 ? [1] : [] } })]),
    'variable pay.rows: list of 1 (15), list of 0 (5, e15)',
  ],
  [
    'the crashing frame',
    (nr) => thrown([frame('main'), frame(nr < 15 ? 'one' : 'two')]),
    'crash in: one one.ts:7 (15), two two.ts:7 (5, e15)',
  ],
  [
    'callers',
    (nr) => thrown([frame(nr < 15 ? 'sheet' : 'page'), frame('run'), frame('read')]),
    'caller of run run.ts:7: sheet sheet.ts:7 (15), page page.ts:7 (5, e15)',
  ],
  [
    'words of the message',
    (nr) => thrown([], nr < 15 ? 'undefined is not an object' : 'Cannot read properties'),
    'error: Error: undefined is not an object (15), Error: Cannot read properties (5, e15)',
  ],
  [
    'a value in the message',
    (nr) => thrown([], `cannot read '${nr < 15 ? 'a' : 'b'}' of ${String(nr)}`),
    "error Error: cannot read {*} of {}: 'a' (15), 'b' (5, e15)",
  ],
  [
    'causes',
    (nr) => ({
      exceptions: [
        { type: nr < 15 ? 'Lost' : 'Late', value: 'x' },
        { type: 'Error', value: 'no' },
      ],
    }),
    'caused by: Lost: x (15), Late: x (5, e15)',
  ],
  [
    'a breadcrumb that few have',
    (nr) => ({ breadcrumbs: nr < 18 ? [] : [{ category: 'ui', message: 'undo' }] }),
    'breadcrumb ui: undo: in (2, e18), not in (18)',
  ],
  [
    'words in the data of a breadcrumb, one or several',
    (nr) => ({
      breadcrumbs: [{ category: 'plan', message: 'area', data: { name: nr < 15 ? 'Balcony' : 'Upper Circle' } }],
    }),
    'breadcrumb plan: area name={*}: Balcony (15), "Upper Circle" (5, e15)',
  ],
  [
    'the data of a breadcrumb with colons',
    (nr) => ({
      breadcrumbs: [
        { category: 'clock', message: 'read', data: { offset: nr < 15 ? '+05:30' : nr < 18 ? 'Z' : '-0330' } },
      ],
    }),
    'breadcrumb clock: read offset={*}: "+05:30" (15), Z (3), -0330 (2, e18)',
  ],
])('occurrences that differ in %s', async (_, differ, line) => {
  expect((await describe(twenty(differ))).varies).toContain(line)
})

test('where stacks part in the middle, the most frequent way is followed to where they part again', async () => {
  const { varies } = await describe(
    twenty((nr) => thrown([frame(nr % 2 === 0 ? 'cron' : 'web'), frame('run'), frame(nr === 19 ? 'check' : 'read')])),
  )
  expect(varies).toEqual([
    'crash in: read read.ts:7 (19), check check.ts:7 (1, e19)',
    'caller of run run.ts:7: cron cron.ts:7 (10), web web.ts:7 (9, e1), none (1)',
  ])
})

test('what the shown occurrence does not show is named with its value, the rest by its name', async () => {
  const { same_in_all: same, varies } = await describe(
    twenty(() => ({ release: 'a@1', tags: [{ key: 'plan', value: 'team' }], extra: { rows: 7 }, ...thrown([], 'no') })),
  )
  expect(same).toBe('error, release, tag plan, extra rows=7')
  expect(varies).toBeUndefined()
})

test('a value or a name that is cut ends in an ellipsis', async () => {
  const { varies } = await describe(
    twenty((nr) => ({ tags: [{ key: 'k'.repeat(150), value: `${String(nr % 2)}${'v'.repeat(90)}` }] })),
  )
  expect(varies?.[0]).toMatch(/^tag k{105}…: 0v{46}… \(10\), 1v{46}… \(10, e1\)$/)
})

/** An application with ids, times, sessions and long lists everywhere; in three occurrences a coupon is written otherwise. */
const wild = Array.from({ length: 80 }, (_, nr) => ({
  id: `019ab3c4-${nr.toString(16).padStart(4, '0')}-7abc-8def-0123456789ab`,
  release: `shop@1.${String(nr % 6)}.0`,
  environment: nr % 9 === 0 ? 'staging' : 'production',
  server_name: `web-${String(nr % 7)}`,
  message_params: [nr, `order ${String(nr)}`],
  tags: Array.from({ length: 20 }, (__, tag) => ({
    key: `tag_${String(tag)}`,
    value: `value ${String((nr * tag) % 13)}`,
  })),
  contexts: {
    trace: { trace_id: `${nr.toString(16).padStart(4, '0')}c0ffee`, op: 'http' },
    device: { id: `5f${String(nr)}ac07d9b`, memory: 4_000_000 + nr * 977 },
    session: { id: `s-${String(nr % 11)}f${String(nr % 5)}a`, started: `2026-11-22T10:${String((nr % 50) + 10)}:00Z` },
  },
  extra: { user_id: 4000 + (nr % 17), request_time: nr * 1.37, payload: 'x'.repeat(400 + nr) },
  ...thrown([
    frame(`entry${String(nr % 4)}`),
    frame('applyCoupon', { vars: { now: 1_763_800_000 + nr * 60, cart: { id: nr } } }),
  ]),
  breadcrumbs: [
    ...Array.from({ length: 20 }, (__, crumb) => ({
      category: 'http',
      data: {
        method: 'GET',
        url: `https://shop.example/api/${'abcdefghijklmnopqrst'.charAt((crumb * nr) % 20)}/${String(nr)}`,
        status_code: 200,
      },
    })),
    ...(nr % 6 === 0 ? [{ category: 'ui.click', message: `button#help-${String(nr)}` }] : []),
    { category: 'cart', message: `coupon "${[5, 33, 61].includes(nr) ? 'ÄPFEL 10' : `AB${String(nr)}`}" entered` },
  ],
}))

test('in a wild issue the line that explains it comes before ids, times and sessions, within 700 tokens', async () => {
  const content = await describe(wild)
  expect(content.varies?.[0]).toContain('breadcrumb cart: coupon {*} entered: like "AB')
  expect(content.varies?.[0]).toContain('"ÄPFEL 10" (3, ')
  expect(content.varies?.slice(0, 6).join('\n')).not.toMatch(/session|user_id|device\.id|server_name|now:/)
  expect(countTokens(JSON.stringify(content, undefined, 1))).toBeLessThanOrEqual(700)
})
