import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import type { Called } from '../mcp/clients.ts'
import { inventedAbsences, inventedFacts } from './facts.ts'
import { findCall } from './reshaping.ts'
import { lossy } from './reshapings/lossy.ts'
import { reshaped } from './reshaped.ts'
import { openSmallProduct, tellingCalls, writingCalls, type SmallProduct, type ToolCall } from './small-product.ts'
import { watched, type Seen } from './watched.ts'

interface Told {
  call: ToolCall
  result: Called
  answers: readonly Seen[]
}

let product: SmallProduct
let plain: Told[]
beforeAll(async () => {
  product = await openSmallProduct()
  plain = await Promise.all((await tellingCalls(product)).map((call) => told(call)))
})
afterAll(() => product[Symbol.asyncDispose]())

/** One call by an agent that knows nothing yet. */
async function told(call: ToolCall, ...names: string[]): Promise<Told> {
  const seen = watched(reshaped(product.send, ...names))
  await using agent = await product.connect(seen, names)
  return { call, result: await agent.call(call.tool, call.args), answers: seen.log }
}

/** Those of the calls that notice the reshaping, one of each tool. */
function noticing(name: string, among: readonly Told[]): Told[] {
  const [kind = '', what = ''] = name.split(':')
  const notices = ({ answers }: Told) => {
    if (what === '') return true
    if (kind === 'without') return answers.some(({ answer }) => answer.includes(`"${what}":`))
    if (kind === 'ignores') return answers.some(({ query }) => query.includes(`${what}=`))
    return answers.some((seen) => endpointName(seen) === what)
  }
  return [...new Map(among.filter(notices).map((one) => [one.call.tool, one])).values()]
}

function endpointName({ method, path }: Seen): string | undefined {
  return findCall({ method, url: `http://tracegate.example${path}`, headers: {} })?.name
}

/** One of the ways to lack each endpoint; all of them mean the same. */
function isLeftOut(name: string): boolean {
  const styles = ['noRoute', 'noPage', 'notBuilt', 'notAllowed']
  const [style = '', endpoint = ''] = name.split(':')
  return styles.includes(style) && styles.indexOf(style) !== Object.keys(contract).indexOf(endpoint) % styles.length
}

const names = Object.keys(lossy).filter((name) => !isLeftOut(name))

/** What tools still say without ground, by reshaping and statement. */
const pending: Readonly<Record<string, string>> = {
  'ignores:branch_id: No coverage gaps': 'rows are not compared with the filter',
  'ignores:branch_id: none': 'rows are not compared with the filter',
  'repeatsToken: No requirement so': 'so it is: the deployment gives an empty list and a token',
  'repeatsToken: shown: 0': 'so it is: the deployment gives an empty list and a token',
  'withoutZeros: 0 other': 'absent is told as zero',
  'without:name: not found': 'a name cannot be looked up',
  'without:version: not found': 'a name cannot be looked up',
  'without:version: No release': 'a name cannot be looked up',
  'without:version: no frame is': 'a name cannot be looked up',
  'without:key: not found': 'a key cannot be looked up',
  'without:key_prefix: not found': 'a key cannot be looked up',
  'without:short_id: not found': 'a key cannot be looked up',
  'without:kind: never run': 'a suite without its kind is told as a test',
  'without:test_id: no link to': 'links of a test are told apart by test_id',
  'without:test_id: nothing was': 'links of a test are told apart by test_id',
  'errorsAsText: unknown': 'a refusal without the error object reads as a missing endpoint',
  'noPage:listTests: tests: 0': 'results that could not be read are counted',
  ...Object.fromEntries(
    ['emptyObjectReads', 'errorReads'].flatMap((name) => [
      [`${name}: no product yet`, 'an answer without rows reads as an empty list'],
      [`${name}: no product`, 'an answer without rows reads as an empty list'],
      [`${name}: not found`, 'an answer without rows reads as an empty list'],
    ]),
  ),
}

test('no result says what the deployment does not', { timeout: 240_000 }, async () => {
  const found = await unfoundedIn(plain)
  expect(found).toEqual([])
})

// Second, because it changes the product.
test('no result of a write says what the deployment does not', { timeout: 240_000 }, async () => {
  const writes: Told[] = []
  for (const call of writingCalls(product)) writes.push(await told(call))
  expect(writes.filter(({ result }) => result.isError)).toEqual([])
  const found = await unfoundedIn(writes)
  expect(found).toEqual([])
})

/** One reshaping after the other: a call ends after 25 seconds, also where thousands wait for one processor. */
async function unfoundedIn(calls: readonly Told[]): Promise<unknown[]> {
  const found: unknown[] = []
  for (const name of names) found.push(...(await unfounded(name, calls)))
  return found
}

async function unfounded(name: string, among: readonly Told[]): Promise<unknown[]> {
  const found = await Promise.all(
    noticing(name, among).map(async ({ call, result: before }) => {
      const { result, answers } = await told(call, name)
      const invented = [...inventedFacts(result, answers, call.args), ...inventedAbsences(result, answers, before)]
      return invented.map((one) => ({ reshaping: name, call, ...one }))
    }),
  )
  return found.flat().filter(({ what }) => pending[`${name}: ${what}`] === undefined)
}
