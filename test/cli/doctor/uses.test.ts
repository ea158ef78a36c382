import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { askAll, failureWords } from '../../../src/cli/doctor/survey.ts'
import { uses } from '../../../src/cli/doctor/uses.ts'
import { createApi } from '../../../src/client/client.ts'
import { contract, type EndpointName } from '../../../src/contract/index.ts'
import { ServiceError } from '../../../src/errors.ts'
import { origin } from '../../app.ts'
import { scanOnce } from '../../mcp/checks/calls.ts'
import { connect } from '../../mcp/clients.ts'
import { openQualityShop } from '../../tools/quality-shop.ts'
import { checkoutCrash } from '../../tools/shop.ts'
import { reshaped } from '../../upstream/reshaped.ts'

const files = globSync(['tools/**/*.ts', 'src/mcp/**/*.ts', 'resources/*.ts', 'prompts/*.ts'])

test('every endpoint that tools read has its use, and no other', () => {
  const called = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\.((?:get|list)[A-Z]\w+)\(/g)].map(([, name]) => name as EndpointName),
  )
  const read = new Set(called.filter((name) => Object.hasOwn(contract, name)))
  expect(Object.keys(uses).toSorted()).toEqual([...read].toSorted())
})

test('what is not answered in time is an outcome of each endpoint', async () => {
  const api = createApi({ send: () => new Promise(() => {}), baseUrl: origin, token: '', retries: 0 })
  const outcomes = await askAll(api, new Map([['products', { id: '1' }]]), AbortSignal.abort())
  const why = 'no answer before the time for all requests was over'
  expect(outcomes.get('listIssues')).toEqual({ state: 'failed', why })
  expect(outcomes.get('getIssue')).toEqual({ state: 'untried', needs: 'issues' })
})

test('requests that are too many fail for one reason, whatever they were for', () => {
  const failures = ['/a', '/b'].map((path) => new ServiceError('resource_exhausted', `GET ${path} returned 429`))
  const words = failures.map((error) => failureWords(error, new AbortController().signal))
  expect(new Set(words)).toEqual(new Set(['too many requests for this deployment: try again later']))
})

type Claim = [tool: string, args: Record<string, unknown>, outcome: RegExp]
const works = /^(?!error)/
const fails = /^error: .*feature_disabled/

test('without an endpoint the tools do what the report says', async () => {
  await using shop = await openQualityShop()
  await shop.crash(20, checkoutCrash('ann'))
  await shop.crash(10, checkoutCrash('bob'))
  const { issues } = await shop.api.listIssues({ product_id: shop.productId })
  const { events } = await shop.api.listIssueEvents({ id: issues[0]?.id ?? '' })
  const { branch } = await shop.api.createBranch({ product_id: shop.productId, name: 'pricing' })
  const scanned = new Map<string, string>(await scanOnce(shop, shop.productId))
  const { agent_run: run } = await shop.api.getAgentRun({ id: scanned.get('run') ?? '' })
  const issue = 'APP-1'
  const requirement = 'REQ-2'
  const claims: Partial<Record<EndpointName, Claim[]>> = {
    getMe: [['get_workspace_context', {}, /does not say who is logged in/]],
    listWorkspaces: [['find_error_issues', {}, works]],
    listProducts: [['find_error_issues', {}, fails]],
    listIssues: [
      ['find_error_issues', {}, fails],
      ['get_error_issue', { issue }, fails],
      ['get_error_issue', { issue: issues[0]?.id }, works],
    ],
    getIssue: [
      ['get_error_issue', { issue }, fails],
      ['set_error_issue_status', { issues: [issue], status: 'ignored', reason: 'known', dry_run: true }, fails],
    ],
    listIssueEvents: [
      ['get_error_issue', { issue, match: 'checkout' }, fails],
      ['get_error_issue', { issue, include: ['variation'] }, works],
    ],
    getIssueEvent: [
      ['get_error_issue', { issue, event: events.at(-1)?.id }, fails],
      ['get_error_issue', { issue }, works],
    ],
    getIssueEvents: [['get_error_issue', { issue, include: ['variation'] }, /compared: all 2 occurrences/]],
    getIssueStats: [['get_error_issue', { issue, include: ['stats'] }, /does not offer statistics/]],
    getFixContext: [
      [
        'get_fix_context',
        { issue },
        /made from the issue, its latest occurrence; not stated: requirements, related issues/,
      ],
    ],
    listReleaseIssues: [
      ['find_error_issues', { release: 'shop@1.4.0', first_seen_in_release: true }, works],
      ['find_error_issues', { release: 'shop@1.4.0', first_seen_in_release: true, period: '30d' }, works],
    ],
    listRequirements: [
      ['list_requirements', {}, fails],
      ['get_requirement', { requirement }, fails],
      ['get_requirement', { requirement: shop.ids[requirement] }, works],
    ],
    getRequirement: [
      ['get_requirement', { requirement }, /does not offer single requirements/],
      ['save_requirement', { requirement, title: 'Other', dry_run: true }, works],
      ['unlink_test', { test: 'TC-2', requirement, dry_run: true }, works],
    ],
    listCoverageGaps: [
      ['find_coverage_gaps', {}, fails],
      ['list_requirements', {}, /not_run/],
    ],
    getTestContext: [
      [
        'get_test_context',
        { requirement },
        /made from the requirement and its links; not stated: past failures, conventions, similar tests/,
      ],
    ],
    listTests: [
      ['list_tests', {}, fails],
      [
        'record_tests',
        { tests: [{ title: 'adds', file: 'test/a.test.ts', requirement_ids: ['REQ-4'] }], dry_run: true },
        fails,
      ],
      ['get_test', { test: shop.ids['TC-2'] }, works],
    ],
    getTest: [['get_test', { test: 'TC-2' }, /does not offer single tests/]],
    listTestLinks: [['get_test', { test: 'TC-2' }, works]],
    listComponents: [
      ['find_error_issues', { component: 'Checkout' }, fails],
      ['find_coverage_gaps', { component: 'Checkout' }, fails],
    ],
    listBranches: [
      ['find_coverage_gaps', { branch: 'pricing' }, fails],
      ['find_coverage_gaps', { branch: branch.id }, works],
    ],
    getBranch: [['find_coverage_gaps', { branch: branch.id }, works]],
    listLinkProposals: [['decide_link_proposals', { branch: branch.id, accept: ['none'] }, fails]],
    listEnvironments: [
      ['find_error_issues', { environment: 'production' }, fails],
      ['get_error_issue', { issue, environment: 'production' }, fails],
    ],
    getEnvironment: [['delete_environment', { environment: 'production', dry_run: true }, /^Preview/]],
    listReleases: [
      ['find_error_issues', { release: 'shop@1.4.0' }, fails],
      ['get_error_issue', { issue, release: 'shop@1.4.0' }, fails],
    ],
    getRelease: [['find_error_issues', { release: 'shop@1.4.0' }, works]],
    getGate: [
      ['get_quality_gate', {}, fails],
      ['accept_gate_risk', { blocker: 'failing_tests', reason: 'Known and fixed in the next release.' }, fails],
      ['approve_gate_risk', { risk: 'failing_tests' }, fails],
    ],
    getTraceability: [
      ['get_quality_gate', { view: 'traceability' }, fails],
      ['list_requirements', {}, /not_run/],
    ],
    listAgentTypes: [
      ['create_agent_config', { type: 'coverage_gap_scan', dry_run: true }, fails],
      ['start_agent_run', { config: 'scan', dry_run: true }, /may write: not stated/],
    ],
    listAgentConfigs: [
      ['get_agent_config', { config: 'the scan' }, fails],
      ['get_agent_config', { config: run.agent_config_id }, works],
    ],
    getAgentConfig: [['get_agent_run', { run: run.id }, /^The agent run of coverage_gap_scan succeeded/]],
    listAgentRuns: [
      ['get_agent_run', { config: 'scan' }, fails],
      ['get_agent_run', { run: run.id }, works],
    ],
    getAgentRun: [
      ['get_agent_run', { run: run.id }, fails],
      ['cancel_agent_run', { run: run.id }, fails],
    ],
    listAgentRunEvents: [['get_agent_run', { run: run.id }, /does not offer events of runs/]],
  }
  expect(Object.keys(claims)).toEqual(Object.keys(uses))
  for (const [name, ofEndpoint] of Object.entries(claims)) {
    const send = reshaped(shop.service.direct, `noPage:${name}`)
    await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token, retries: 0 }), {
      options: { toolsets: ['all'] },
    })
    for (const [tool, args, outcome] of ofEndpoint) {
      const { text } = await agent.call(tool, args)
      expect(text, `${name}: ${tool}`).toMatch(outcome)
    }
  }
})
