import * as z from 'zod'
import { SymbolicationState } from '../../../contract/events.ts'
import { Repository, type Setup, type SetupCheck } from '../../../contract/products.ts'
import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { audit } from '../audit.ts'
import { timestamp } from '../../shared/times.ts'
import type { StoredProduct } from '../products.ts'
import { isKnownEnvironment, isRecordedRelease } from './rules.ts'
import { readJson } from '../../sql/json.ts'

type Check = z.input<typeof SetupCheck>
type Facts = Awaited<ReturnType<typeof readFacts>>
/** The result of one check, without the members that all checks share. */
type Finding = Pick<Check, 'status' | 'detail' | 'remediation' | 'evidence'>

/** How many of the newest events are examined for source maps. */
const recentEvents = 200

/** Runs the checks, stores whether the setup is complete, and returns the setup as the contract shows it. */
export async function verifySetup(rows: Rows, call: Writing, product: StoredProduct): Promise<z.input<typeof Setup>> {
  const now = call.now()
  const found = await checkSetup(rows, product, now)
  const missingChecks = found.filter(({ status }) => status === 'SETUP_CHECK_STATUS_MISSING')
  const open = [...missingChecks, ...found.filter(({ status }) => status === 'SETUP_CHECK_STATUS_WARNING')]
  const state = missingChecks.length === 0 ? 'SETUP_STATE_COMPLETE' : 'SETUP_STATE_INCOMPLETE'
  const productId = String(product.id)
  if (state !== product.setup_state) {
    await rows
      .updateTable('product')
      .set({ setup_state: state, updated_at: now, version: product.version + 1 })
      .where('id', '=', product.id)
      .execute()
    const change = { before: product.setup_state, after: state }
    await audit(rows, call, { verb: 'verify', resourceType: 'product', resourceId: productId, ...change })
  }
  return {
    product_id: productId,
    state,
    checks: found,
    completed_checks: found.length - missingChecks.length,
    total_checks: found.length,
    next_action: open[0]?.remediation ?? '',
    verified_at: timestamp(now),
  }
}

/** The eleven checks of contract §2 in their order, each with one concrete next call where something is missing. */
async function checkSetup(rows: Rows, product: StoredProduct, now: number): Promise<Check[]> {
  const facts = await readFacts(rows, product)
  return checks.map(({ id, title, find }) => ({ id, title, ...find(facts), checked_at: timestamp(now) }))
}

const checks: readonly { id: Check['id']; title: string; find: (facts: Facts) => Finding }[] = [
  { id: 'repository_configured', title: 'Repository is configured', find: repository },
  { id: 'components_mapped', title: 'Components own files', find: components },
  { id: 'requirements_present', title: 'Requirements exist', find: requirements },
  { id: 'acceptance_criteria_present', title: 'Important requirements have acceptance criteria', find: criteria },
  { id: 'tests_ingested', title: 'Test results arrive', find: tests },
  { id: 'tests_linked', title: 'Tests are linked to requirements', find: links },
  { id: 'environment_present', title: 'An environment exists', find: environment },
  { id: 'release_present', title: 'A release is recorded', find: release },
  { id: 'event_received', title: 'An event has arrived', find: event },
  { id: 'source_maps_ready', title: 'Source maps resolve minified frames', find: sourceMaps },
  { id: 'gate_computed', title: 'The quality gate has a verdict', find: gate },
]

async function readFacts(rows: Rows, product: StoredProduct) {
  const globs = await rows.selectFrom('component').select('path_globs').where('product_id', '=', product.id).execute()
  const environments = await rows
    .selectFrom('environment')
    .select(['id', 'name', 'origin'])
    .where('product_id', '=', product.id)
    .where('deleted_at', 'is', null)
    .execute()
  const releases = await rows
    .selectFrom('release')
    .select(['id', 'origin'])
    .where('product_id', '=', product.id)
    .execute()
  const newest = await rows
    .selectFrom('occurrence')
    .innerJoin('issue', 'issue.id', 'occurrence.issue_id')
    .select(['occurrence.id', 'occurrence.received_at', 'occurrence.summary', 'issue.corroboration'])
    .where('occurrence.product_id', '=', product.id)
    .orderBy('occurrence.received_at', 'desc')
    .limit(recentEvents)
    .execute()
  const demands = await rows
    .selectFrom('requirement')
    .select(['priority', 'acceptance_criteria'])
    .where('product_id', '=', product.id)
    .where('deleted_at', 'is', null)
    .where('kind', '<>', 'REQUIREMENT_KIND_GROUP')
    .execute()
  const links = await rows
    .selectFrom('test_link')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('product_id', '=', product.id)
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow()
  const result = await rows
    .selectFrom('test_result')
    .select('id')
    .where('product_id', '=', product.id)
    .limit(1)
    .executeTakeFirst()
  const verdict = await rows
    .selectFrom('verdict')
    .select('id')
    .where('product_id', '=', product.id)
    .limit(1)
    .executeTakeFirst()
  return {
    id: product.id,
    hasVerdict: verdict !== undefined,
    requirements: demands,
    links: links.count,
    results: result === undefined ? 0 : 1,
    repository: readJson(Repository, product.repository),
    components: globs.filter(({ path_globs }) => path_globs !== '[]').length,
    environments,
    releases,
    newest: newest.map((row) => ({ ...row, ...readJson(Summary, row.summary) })),
  }
}

/** A summary leaves out the state of an event that needs no source maps. */
const Summary = z.object({ symbolication_state: SymbolicationState.default('SYMBOLICATION_STATE_NOT_NEEDED') })

const ok = (detail: string, evidence: Finding['evidence'] = {}): Finding => ({
  status: 'SETUP_CHECK_STATUS_OK',
  detail,
  remediation: '',
  evidence,
})

const missing = (detail: string, remediation: string, evidence: Finding['evidence'] = {}): Finding => ({
  status: 'SETUP_CHECK_STATUS_MISSING',
  detail,
  remediation,
  evidence,
})

const warning = (...finding: Parameters<typeof missing>): Finding => ({
  ...missing(...finding),
  status: 'SETUP_CHECK_STATUS_WARNING',
})

const notApplicable = (detail: string, evidence: Finding['evidence']): Finding => ({
  ...ok(detail, evidence),
  status: 'SETUP_CHECK_STATUS_NOT_APPLICABLE',
})

function repository({ id, repository: { url } }: Facts): Finding {
  if (url !== '') return ok('The repository has an address.')
  return missing(
    'The product names no repository.',
    `tracegate init DIR --product ${id}, in a checkout of the repository`,
  )
}

function components({ id, components: count }: Facts): Finding {
  if (count > 0) return ok(`${count} components have globs.`, { components: count })
  return missing(
    'No component owns files, so no issue gets an owner.',
    `POST /v1/products/${id}/components {"name":"Checkout","path_globs":["src/checkout/**"]}`,
  )
}

function requirements({ id, requirements: found }: Facts): Finding {
  if (found.length > 0) return ok(`${found.length} requirements exist.`, { requirements: found.length })
  return missing('The product has no requirement.', `POST /v1/products/${id}/requirements {"title":"…"}`)
}

/**
 * Four of five important requirements say when they are met (contract §2). Requirements of prose do not, and tests can
 * verify them all the same.
 */
function criteria({ id, requirements: found }: Facts): Finding {
  const important = found.filter(({ priority }) => priority === 'PRIORITY_CRITICAL' || priority === 'PRIORITY_HIGH')
  const told = important.filter(({ acceptance_criteria: list }) => list !== '[]')
  const evidence = { important: important.length, with_criteria: told.length }
  if (found.length === 0) {
    return missing(
      'The product has no requirement.',
      `POST /v1/products/${id}/requirements {"title":"…","acceptance_criteria":[…]}`,
    )
  }
  if (important.length === 0) return notApplicable('No requirement is critical or high.', evidence)
  const detail = `${told.length} of ${important.length} critical and high requirements have acceptance criteria.`
  if (told.length >= 0.8 * important.length) return ok(detail, evidence)
  return warning(detail, 'PUT /v1/requirements/{id} {"acceptance_criteria":[{"text":"…"}]}', evidence)
}

function tests({ id, results }: Facts): Finding {
  if (results > 0) return ok('Test results arrive.')
  return missing('No test result has arrived.', `POST /v1/products/${id}/tests:ingest {"draft":{"content":"…"}}`)
}

function links({ links: found }: Facts): Finding {
  if (found > 0) return ok(`${found} links between tests and requirements exist.`, { links: found })
  return missing('No test is linked to a requirement.', 'POST /v1/tests/{test_id}/links {"requirement_id":"…"}')
}

function environment({ id, environments }: Facts): Finding {
  const known = environments.filter(isKnownEnvironment)
  const evidence = { environments: environments.length, known: known.length }
  const remediation = `POST /v1/products/${id}/environments {"name":"production"}`
  if (environments.length === 0) return missing('There is no environment.', remediation)
  if (known.length === 0) return warning('Only events named the environments there are.', remediation, evidence)
  return ok(`${known.length} environments are known.`, evidence)
}

function release({ id, releases }: Facts): Finding {
  const known = releases.filter(isRecordedRelease)
  const evidence = { releases: releases.length, known: known.length }
  const remediation = `POST /v1/products/${id}/releases {"version":"…","environment":"production"}`
  if (releases.length === 0) return missing('No release is recorded.', remediation)
  if (known.length === 0) return warning('Only events named the releases there are.', remediation, evidence)
  return ok(`${known.length} releases were recorded by members.`, evidence)
}

function event({ id, newest: [last] }: Facts): Finding {
  if (last === undefined) {
    return missing(
      'No event has arrived.',
      `Point a Sentry SDK at the DSN of product ${id} (ingest.dsn) and crash once.`,
    )
  }
  const { sdk_known: sdkKnown } = readJson(Corroboration, last.corroboration)
  const evidence = { event_id: last.id, received_at: timestamp(last.received_at), sdk_known: sdkKnown }
  return ok(`The newest event arrived at ${timestamp(last.received_at)}.`, evidence)
}

const Corroboration = z.object({ sdk_known: z.boolean() })

function sourceMaps({ id, newest }: Facts): Finding {
  const states = Map.groupBy(newest, ({ symbolication_state: state }) => state.replace('SYMBOLICATION_STATE_', ''))
  const count = (state: string) => states.get(state)?.length ?? 0
  const unmapped = count('MISSING') + count('FAILED')
  const evidence = { unmapped, partly_mapped: count('PARTIAL'), mapped: count('COMPLETE') }
  const remediation = `tracegate sourcemaps upload DIR --release VERSION, or POST /v1/products/${id}/sourcemaps`
  if (unmapped > 0)
    return missing(`${unmapped} recent events have minified frames without a source map.`, remediation, evidence)
  if (evidence.partly_mapped > 0) return warning('Some minified frames have no source map.', remediation, evidence)
  if (evidence.mapped > 0) return ok('Minified frames are resolved.', evidence)
  return notApplicable('No recent event has minified frames.', evidence)
}

function gate({ id, hasVerdict }: Facts): Finding {
  if (hasVerdict) return ok('The quality gate has a verdict.')
  return missing('No verdict has been computed.', `POST /v1/products/${id}/quality-gate:compute`)
}
