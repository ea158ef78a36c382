import { checkoutCrash, openShop, type Shop } from './shop.ts'

type Fields = Omit<Parameters<Shop['api']['createRequirement']>[0], 'product_id' | 'title'>

export interface GapShop extends Shop {
  /** A new requirement; answers its key. */
  require(title: string, fields?: Fields): Promise<string>
  /** Its state now. */
  stateOf(key: string): Promise<string | undefined>
  idOf(key: string): Promise<string>
}

/** The shop of `openShop`, where requirements can be made in one line. */
async function openGapShop(): Promise<GapShop> {
  const shop = await openShop()
  const { api, productId: product_id } = shop
  const byKey = async (key: string) => (await api.listRequirements({ product_id, key: [key] })).requirements[0]
  return Object.assign(shop, {
    async require(title: string, fields: Fields = {}) {
      const { requirement } = await api.createRequirement({ product_id, title, ...fields })
      return requirement.key ?? ''
    },
    stateOf: async (key: string) => (await byKey(key))?.coverage?.state,
    idOf: async (key: string) => (await byKey(key))?.id ?? '',
  })
}

/** REQ-1 with two criteria, whose files crashed twice; REQ-2 with nothing. One file crashes that none of them claims. */
export async function openShopWithGaps(): Promise<GapShop> {
  const shop = await openGapShop()
  const { components } = await shop.api.listComponents({ product_id: shop.productId })
  await shop.require('An order is confirmed by mail', {
    statement: 'After payment the shop sends a mail within 5 minutes.',
    rationale: 'Customers who hear nothing order twice.',
    priority: 'PRIORITY_HIGH',
    code_refs: [{ path: 'src/checkout/**' }],
    component_ids: components.map(({ id }) => id),
    acceptance_criteria: [
      { text: 'The mail holds the order number.' },
      {
        given: 'an order without an address',
        when: 'the mail is due',
        // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
        then: 'the order is marked and no mail is sent',
      },
    ],
  })
  await shop.require('A customer can order without an account')
  await shop.crash(30, checkoutCrash('ann'))
  await shop.crash(20, checkoutCrash('bob'))
  await shop.crash(10, unclaimedCrash('src/search/index.ts'))
  return shop
}

/** A crash in one file of ours. */
export function unclaimedCrash(filename: string, value = 'x is undefined'): Record<string, unknown> {
  const frames = [{ function: 'look', filename, lineno: 3, in_app: true }]
  return { exception: { values: [{ type: 'TypeError', value, stacktrace: { frames } }] } }
}

export interface ReportedTest {
  file: string
  suites?: string[]
  name: string
  status?: 'passed' | 'failed' | 'skipped'
  message?: string
}

/** A report as Vitest's json reporter writes it, of files below `root`. */
export function vitestReport(tests: readonly ReportedTest[], root = '/repo'): string {
  const files = Map.groupBy(tests, ({ file }) => file)
  return JSON.stringify({
    numTotalTestSuites: files.size,
    numTotalTests: tests.length,
    startTime: Date.UTC(2026, 10, 21, 11, 59),
    success: tests.every(({ status = 'passed' }) => status !== 'failed'),
    testResults: Array.from(files, ([file, cases]) => ({
      name: `${root}/${file}`,
      status: cases.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
      startTime: Date.UTC(2026, 10, 21, 11, 59),
      endTime: Date.UTC(2026, 10, 21, 11, 59, 1),
      message: '',
      assertionResults: cases.map(({ suites = [], name, status = 'passed', message }) => ({
        ancestorTitles: suites,
        fullName: [...suites, name].join(' '),
        title: name,
        status,
        duration: 3,
        failureMessages: message === undefined ? [] : [message],
        meta: {},
      })),
    })),
  })
}
