import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../app.ts'
import { connect, type Connected } from '../mcp/clients.ts'

const token = `ghp_${'A1b2C3d4'.repeat(4)}abcd`

/** As Python's SDK sends it: variables as Python writes them. */
const python = {
  platform: 'python',
  sdk: { name: 'sentry.python', version: '2.50.0' },
  extra: { 'sys.argv': ['/srv/ledger/run.py', '--sheet', '7'] },
  contexts: { runtime: { type: 'runtime', name: 'CPython', version: '3.13.1' }, ledger: { rows: 31, strict: true } },
  exception: {
    values: [
      {
        type: 'InvalidOperation',
        value: "[<class 'decimal.ConversionSyntax'>]",
        stacktrace: {
          frames: [
            {
              function: 'import_sheet',
              filename: 'ledger/sheet.py',
              lineno: 40,
              in_app: true,
              vars: {
                nr: '7',
                rows: [
                  { sku: "'A'", sum: "Decimal('1')" },
                  { sku: "'B'", sum: 'None' },
                ],
                password: "'hunter2'",
              },
            },
            {
              function: 'read_amount',
              filename: 'ledger/amount.py',
              lineno: 12,
              in_app: true,
              vars: { text: "'1.204,50'", sign: 'None', total: "Decimal('12.50')", key: `'${token}'` },
            },
            { function: 'Decimal', filename: 'decimal.py', lineno: 1, in_app: false, vars: { self: '<library>' } },
          ],
        },
      },
    ],
  },
}

/** As Node's SDK sends local variables. */
const node = {
  platform: 'node',
  extra: { note: 'x'.repeat(3_400), empty: '', nested: { a: { b: 1 } } },
  exception: {
    values: [
      {
        type: 'TypeError',
        value: 'amount is not a number',
        stacktrace: {
          frames: [
            {
              function: 'total',
              filename: 'src/total.ts',
              lineno: 3,
              in_app: true,
              vars: {
                amount: '12',
                count: 12,
                missing: '<undefined>',
                gone: null,
                flag: false,
                list: [1, 2, 3],
                cart: { id: 7, apiKey: 'abc123' },
                many: Array.from({ length: 12 }, (_, nr) => ({ sku: `s${String(nr)}`, price: nr })),
                mail: 'ann@shop.example',
              },
            },
          ],
        },
      },
    ],
  },
}

let app: App
let agent: Connected
beforeAll(async () => {
  app = await startApp()
  for (const event of [python, node]) await app.ingest(event)
  await app.ingest({
    message: 'large',
    extra: Object.fromEntries(Array.from({ length: 300 }, (_, nr) => [`member ${String(nr)}`, `value ${String(nr)}`])),
  })
  agent = await connect(app.api)
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
})

async function read(issue: string) {
  const { text } = await agent.call('get_error_issue', { issue, include: ['values'] })
  return { text, values: text.slice(text.indexOf('| values:'), text.indexOf('</untrusted')) }
}

test("variables of Python's frames are shown as Python writes them, the frame that crashed first, without secrets", async () => {
  const { values } = await read('APP-1')
  expect(values).toMatch(
    /read_amount amount.py:12: text='1.204,50', sign=None, total=Decimal\('12.50'\), key=\S*\[redacted:\w+\]\S*\n.*import_sheet sheet.py:40: nr=7, rows=list of 2 objects \{sku, sum\}, password=\[redacted:secret\]\n/,
  )
  expect(values).toContain('sys.argv=["/srv/ledger/run.py","--sheet","7"]')
  expect(values).toMatch(/ledger: rows=31, strict=true\n.*runtime: name="CPython", version="3.13.1"\n/)
  expect(values).not.toMatch(/hunter2|ghp_|library/)
})

test("variables of Node's frames keep the difference between a text and a number", async () => {
  const { values } = await read('APP-2')
  expect(values).toContain(
    'total total.ts:3: amount="12", count=12, missing="<undefined>", gone=null, flag=false, list=[1,2,3]',
  )
  expect(values).toContain(
    'cart={"id":7,"apiKey":"[redacted:secret]"}, many=list of 12 objects {sku, price}, mail="[redacted:email]"',
  )
  expect(values).toContain(`note=text of 3,400 characters "${'x'.repeat(28)}…`)
  expect(values).toContain('nested=object {a}')
})

test('values cost at most 700 tokens, and how many are left out is said', async () => {
  const { text, values } = await read('APP-3')
  expect(countTokens(values)).toBeLessThanOrEqual(700)
  expect(text).toMatch(/values: \d+ of 300/)
})

test('get_fix_context says where the values are, and nothing where there are none', async () => {
  const { text } = await agent.call('get_fix_context', { issue: 'APP-1' })
  expect(text).toContain('values_at_crash: get_error_issue include values\n')
  await app.ingest({ message: 'without values' })
  const other = await agent.call('get_fix_context', { issue: 'APP-4' })
  expect(other.text).not.toContain('values_at_crash')
})

test('values are shown only when they are asked for', async () => {
  const { text } = await agent.call('get_error_issue', { issue: 'APP-1' })
  expect(text).not.toContain('1.204,50')
})
