import { createHash } from 'node:crypto'
import { readAnswers, withService, type Opening } from '../../../postgres/moving/answers.ts'

const PRODUCTS = ['1', '2', '3', '4']
/** Lists that are read to their end. */
const lists = ['issues', 'requirements', 'tests', 'releases'] as const

/** What is read, in a sentence for the reader of the figures. */
export const sampled =
  'Read of each of the four products: all pages of its issues, requirements, tests and releases, and all pages of the occurrences of its ' +
  'loudest issue. Read of the first product in addition: the first 200 rows of each list, each of them with its own answers, as an issue with its ' +
  'occurrences, statistics and fix context. The contexts and occurrences of its other issues are not read.'

interface Page {
  status: number
  body: { next_page_token?: string; issues?: { id: string }[] }
}

/** Hashes of the answers of the service on a database, by their paths. */
export async function readEverything(opening: Opening): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const [path, answer] of Object.entries(await readAnswers(opening))) answers.set(path, hash(answer))
  await withService(opening, async (get) => {
    const readPages = async (list: string): Promise<Page> => {
      let first: Page | undefined
      for (let token = ''; ;) {
        const path = `${list}&pagination.page_token=${encodeURIComponent(token)}`
        // A list of the contract has these members.
        const page = (await get(path)) as Page
        if (page.status !== 200) throw new Error(`${path}: ${JSON.stringify(page)}`)
        answers.set(path, hash(page))
        first ??= page
        token = page.body.next_page_token ?? ''
        if (token === '') return first
      }
    }
    for (const product of PRODUCTS) {
      for (const list of lists) await readPages(`products/${product}/${list}?page_size=200`)
      const loudest = await readPages(`products/${product}/issues?page_size=200&sort=times_seen`)
      await readPages(`issues/${loudest.body.issues?.[0]?.id ?? ''}/events?page_size=200`)
    }
  })
  return answers
}

function hash(answer: unknown): string {
  return createHash('sha256').update(JSON.stringify(answer)).digest('base64')
}
