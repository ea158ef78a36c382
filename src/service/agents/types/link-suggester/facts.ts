import * as z from 'zod'
import { quarantinedSql } from '../../../quality/coverage/quarantine.ts'
import { requirementKey, testKey } from '../../../quality/keys.ts'
import { syntheticNames } from '../../../quality/reports/model/synthetic.ts'
import type { StoredRequirement } from '../../../quality/requirements/access.ts'
import { CodeRefs, Criteria } from '../../../quality/requirements/columns.ts'
import type { StoredTest } from '../../../quality/cases/access.ts'
import { readJson, readTexts } from '../../../sql/json.ts'
import { compileGlob } from '../../../workspace/components/glob.ts'
import type { AgentContext } from '../../define.ts'

/** A requirement that a test can verify. */
export interface RequirementFacts {
  id: string
  key: string
  number: number
  title: string
  statement: string
  criteria: { id: string; text: string }[]
  /** The requirement above it; empty at the top. */
  parentId: string
  /** Paths and globs of its code references. */
  paths: string[]
  /** Whether one of them matches the path. */
  claims: (path: string) => boolean
  componentIds: string[]
  isNormative: boolean
  isDeprecated: boolean
  hasTest: boolean
}

/** A case that can count as the test of a requirement. */
export interface TestFacts {
  id: string
  key: string
  number: number
  title: string
  suites: string[]
  file: string
  /** Its tags and the values of its labels. */
  marks: string[]
  componentIds: string[]
  /** The issue that it reproduces; empty for none. */
  issueId: string
  /** The suite that it is in; empty for none. */
  parentId: string
}

/** The most tests that are compared, the newest; reading their words takes about 0.1 ms each. */
const MOST_TESTS = 50_000
/** Rows of one query: about 20 ms. */
const READ_AT_ONCE = 250

type Reading = Pick<AgentContext, 'rows' | 'product' | 'now' | 'progress'>

/** All requirements of a product except groups, by number. */
export async function readRequirements({ rows, product, progress }: Reading): Promise<RequirementFacts[]> {
  const all = rows
    .selectFrom('requirement')
    .leftJoin('requirement_coverage as coverage', 'coverage.requirement_id', 'requirement.id')
    .where('requirement.product_id', '=', product.id)
    .where('requirement.deleted_at', 'is', null)
    .where('requirement.kind', '<>', 'REQUIREMENT_KIND_GROUP')
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const requirements: RequirementFacts[] = []
  for (let after = 0; requirements.length < total;) {
    await progress({ phase: 'requirements', done: requirements.length, total })
    const found = await all
      .selectAll('requirement')
      .select('coverage.own_state')
      .where('requirement.number', '>', after)
      .orderBy('requirement.number')
      .limit(READ_AT_ONCE)
      .execute()
    if (found.length === 0) break
    after = found.at(-1)!.number
    requirements.push(...found.map((row) => ({ ...requirementFacts(row), hasTest: row.own_state !== 'no_test' })))
  }
  return requirements
}

function requirementFacts(row: StoredRequirement): Omit<RequirementFacts, 'hasTest'> {
  const paths = readJson(CodeRefs, row.code_refs).map(({ path }) => path)
  const matchers = paths.map(compileGlob)
  const criteria = readJson(Criteria, row.acceptance_criteria)
  return {
    id: row.id,
    key: requirementKey(row),
    number: row.number,
    title: row.title,
    statement: row.statement,
    criteria: criteria.map(({ id, text, given, when, then }) => ({ id, text: [text, given, when, then].join('. ') })),
    parentId: row.parent_id,
    paths,
    claims: (path) => matchers.some((matches) => matches(path)),
    componentIds: readTexts(row.component_ids),
    isNormative: row.normative === 1,
    isDeprecated: row.status === 'REQUIREMENT_STATUS_DEPRECATED',
  }
}

/**
 * The cases of a product that can count as a test, the newest first: not deleted, deprecated or in quarantine, and no
 * failure outside of the cases (contract §4.3). `total` counts those beyond the limit too.
 */
export async function readTests({
  rows,
  product,
  now,
  progress,
}: Reading): Promise<{ tests: TestFacts[]; total: number }> {
  const all = rows
    .selectFrom('test')
    .where('product_id', '=', product.id)
    .where('kind', '=', 'TEST_KIND_CASE')
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'TEST_STATUS_DEPRECATED')
    .where('name', 'not in', syntheticNames)
    .where((eb) => eb.not(quarantinedSql(now)))
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const wanted = Math.min(total, MOST_TESTS)
  const tests: TestFacts[] = []
  for (let before = Number.MAX_SAFE_INTEGER; tests.length < wanted;) {
    await progress({ phase: 'tests', done: tests.length, total: wanted })
    const found = await all
      .selectAll()
      .where('seq', '<', before)
      .orderBy('seq', 'desc')
      .limit(Math.min(READ_AT_ONCE, wanted - tests.length))
      .execute()
    if (found.length === 0) break
    before = found.at(-1)!.seq
    tests.push(...found.map(testFacts))
  }
  return { tests, total }
}

const Labels = z.record(z.string(), z.string())

function testFacts(row: StoredTest): TestFacts {
  return {
    id: row.id,
    key: testKey(row),
    number: row.number,
    title: row.title,
    suites: readTexts(row.suite_path),
    file: row.file_path,
    marks: [...readTexts(row.tags), ...Object.values(readJson(Labels, row.labels))],
    componentIds: readTexts(row.component_ids),
    issueId: row.issue_id,
    parentId: row.parent_id,
  }
}
