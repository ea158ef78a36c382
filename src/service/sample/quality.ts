import * as z from 'zod'
import type { Database } from '../sql/database.ts'
import { timestamp } from '../shared/times.ts'
import { draftDiscussion } from './discussion.ts'
import { sampleReleases } from './product.ts'
import { readRequirements, type SampleRequirement } from './requirements.ts'
import { readReport, sampleRuns } from './test-reports.ts'

export interface QualityTarget {
  productId: number
  /** Only for finding what an interrupted loading has created. */
  db: Pick<Database, 'read'>
  /** Epoch milliseconds; the newest event happens then. */
  now: number
  /** One request to the service; resolves to the body of the answer. */
  call: (method: string, path: string, body?: object) => Promise<unknown>
}

export interface LoadedQuality {
  /** Without groups. */
  requirements: number
  tests: number
}

const Criterion = z.object({ id: z.string(), text: z.string() })
const Stored = z.object({ id: z.string(), key: z.string(), version: z.int(), acceptance_criteria: z.array(Criterion) })
const StoredList = z.object({ requirements: z.array(Stored) })
const Created = z.object({ requirement: Stored })
const Slugs = z.object({ components: z.array(z.object({ id: z.string(), slug: z.string() })) })
const Tests = z.object({
  tests: z.array(z.object({ id: z.string(), title: z.string() })),
  pagination: z.object({ total_size: z.int() }),
})

/**
 * Loads requirements, test runs, the links that people made and a branch of drafts, through the service's own API. A second loading finds
 * what an interrupted one has created and adds the rest.
 */
export async function loadQuality(target: QualityTarget): Promise<LoadedQuality> {
  const requirements = await readRequirements()
  const ids = await postRequirements(requirements, target)
  await ingestRuns(target)
  await linkByHand(ids, target)
  await reviseOne(ids, target)
  await draftDiscussion(`/v1/products/${String(target.productId)}`, target.call)
  const { pagination } = Tests.parse(
    await target.call('GET', `/v1/products/${String(target.productId)}/tests?kind=TEST_KIND_CASE&page_size=1`),
  )
  const groups = requirements.filter(({ kind }) => kind === 'REQUIREMENT_KIND_GROUP').length
  return { requirements: requirements.length - groups, tests: pagination.total_size }
}

/** Ids of the requirements by key. */
async function postRequirements(
  requirements: readonly SampleRequirement[],
  { productId, call }: QualityTarget,
): Promise<Map<string, string>> {
  const product = `/v1/products/${String(productId)}`
  const { components } = Slugs.parse(await call('GET', `${product}/components?page_size=100`))
  const known = StoredList.parse(await call('GET', `${product}/requirements?page_size=100`))
  const ids = new Map(known.requirements.map(({ key, id }) => [key, id]))
  for (const { key, parent, component, ...fields } of requirements) {
    if (ids.has(key)) continue
    const owner = components.filter(({ slug }) => slug === component).map(({ id }) => id)
    const body = { ...fields, component_ids: owner, ...(parent !== '' && { parent_id: ids.get(parent) }) }
    const { requirement } = Created.parse(await call('POST', `${product}/requirements`, body))
    // The tests name the requirements by these keys.
    if (requirement.key !== key) throw new Error(`${key} of the sample became ${requirement.key}`)
    ids.set(key, requirement.id)
  }
  return ids
}

async function ingestRuns({ productId, db, now, call }: QualityTarget): Promise<void> {
  const stored = await db.read.selectFrom('test_run').select('run_key').where('product_id', '=', productId).execute()
  const known = new Set(stored.map((run) => run.run_key))
  for (const run of sampleRuns) {
    // Its times are those of the first loading: with other times it would be another run.
    if (known.has(run.run_key)) continue
    const { release, run_key, ci_url } = run
    const built = sampleReleases.find(({ version }) => version === release)
    await call('POST', `/v1/products/${String(productId)}/tests:ingest`, {
      draft: { content: await readReport(run, now) },
      run: {
        run_key,
        release,
        ci_url,
        environment: 'staging',
        commit_sha: built?.commit_sha,
        git_branch: built?.git_branch,
        started_at: timestamp(now + run.offset_ms),
      },
      options: { root_dir: '/srv/shop', level: run.runner === 'playwright' ? 'TEST_LEVEL_E2E' : 'TEST_LEVEL_UNIT' },
    })
  }
}

/** Tests that do not name a requirement, each with the position of the criterion it proves. */
const linkedByHand = ['finds the articles that have all the words', 'puts names that start with the word first']

/** A person linked the tests of the search, each to the criterion that it proves. */
async function linkByHand(ids: ReadonlyMap<string, string>, { productId, call }: QualityTarget): Promise<void> {
  const { requirement } = Created.parse(await call('GET', `/v1/requirements/${ids.get('REQ-25') ?? ''}`))
  const file = encodeURIComponent('test/search/search.test.ts')
  const { tests } = Tests.parse(
    await call('GET', `/v1/products/${String(productId)}/tests?kind=TEST_KIND_CASE&file_path=${file}`),
  )
  for (const [index, title] of linkedByHand.entries()) {
    const test = tests.find((one) => one.title === title)
    const criterion = requirement.acceptance_criteria[index]
    if (!test || !criterion) throw new Error(`the sample has no test "${title}"`)
    await call('POST', `/v1/tests/${test.id}/links`, {
      requirement_id: requirement.id,
      role: 'LINK_ROLE_PARTIALLY_VERIFIES',
      criterion_ids: [criterion.id],
    })
  }
}

/** After the runs a person extended the requirement of the price list, which makes its links suspect. */
async function reviseOne(ids: ReadonlyMap<string, string>, { call }: QualityTarget): Promise<void> {
  const path = `/v1/requirements/${ids.get('REQ-22') ?? ''}`
  const { requirement } = Created.parse(await call('GET', path))
  if (requirement.version > 1) return
  const more = { text: 'A list that is refused leaves the prices of the day before in the catalogue.' }
  await call('PUT', path, { acceptance_criteria: [...requirement.acceptance_criteria, more] })
}
