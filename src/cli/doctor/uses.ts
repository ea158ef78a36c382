import { randomUUID } from 'node:crypto'
import type { EndpointName } from '../../contract/index.ts'

/** What the tools use an endpoint for. */
export interface Use {
  /** What it gives, in words. */
  noun: string
  /** What the tools do where a deployment does not have it. */
  without: string
  /** The parameter that takes ids, and the list that they come from. */
  ids?: { parameter: string; list: string }
  /** Options that the tools send with it. */
  options?: Readonly<Record<string, unknown>>
  /** The tool whose arguments become the filters. */
  tool?: string
  /** Filters that the tools send, each with a value that few rows or none have. */
  filters?: Readonly<Record<string, unknown>>
}

/** A value that nothing has. It is valid for an id, a name and a text. */
export const NOTHING = randomUUID()

/** The endpoints that the tools read, in the order of a report. Tests hold that none is left out, and that `without` is true. */
export const uses: Readonly<Partial<Record<EndpointName, Use>>> = {
  getMe: {
    noun: 'auth/me',
    without: 'get_workspace_context does not say who is logged in',
  },
  listWorkspaces: { noun: 'workspaces', without: 'those that auth/me names are used' },
  listProducts: { noun: 'products', without: 'the product is the id in TRACEGATE_PRODUCT' },
  listIssues: {
    noun: 'issues',
    without: 'find_error_issues does not work, and an issue is found by its id only',
    tool: 'find_error_issues',
    filters: {
      status: 'ignored',
      levels: ['debug'],
      period: '3m',
      platforms: [NOTHING],
      environment_id: NOTHING,
      release_id: NOTHING,
      component_id: NOTHING,
      q: NOTHING,
      short_id: NOTHING,
      first_release_id: NOTHING,
    },
  },
  getIssue: { noun: 'single issues', without: 'get_error_issue and set_error_issue_status do not work' },
  listIssueEvents: {
    noun: 'occurrences',
    without: 'get_error_issue lists and searches no occurrences, and nothing compares them',
    tool: 'get_error_issue',
    filters: { environment_id: NOTHING, release_id: NOTHING, q: NOTHING, sdk_event_id: NOTHING.replaceAll('-', '') },
  },
  getIssueEvent: {
    noun: 'single occurrences',
    without: 'get_error_issue shows the latest occurrence only, and nothing compares them',
    options: { max_frames: 12 },
  },
  getIssueEvents: {
    noun: 'several occurrences at once',
    without: 'occurrences that are compared are read one by one, which takes longer',
    ids: { parameter: 'event_ids', list: 'events' },
    options: { max_frames: 12, max_breadcrumbs: 30 },
  },
  getIssueStats: { noun: 'statistics', without: 'get_error_issue shows no counts by day', options: { period: '7d' } },
  getFixContext: {
    noun: 'fix context',
    without:
      'get_fix_context is made from the issue and its latest occurrence; requirements and related issues are not stated',
    options: { max_frames: 12 },
  },
  listReleaseIssues: {
    noun: 'issues of a release',
    without: 'find_error_issues with first_seen_in_release and get_release filter the list of issues',
    tool: 'find_error_issues',
    filters: { status: 'ignored', levels: ['debug'] },
  },
  listRequirements: {
    noun: 'requirements',
    without: 'list_requirements does not work, and a requirement is found by its id only',
    options: { view: 'REQUIREMENT_VIEW_BASIC' },
    tool: 'list_requirements',
    filters: { q: NOTHING, key: [NOTHING] },
  },
  getRequirement: {
    noun: 'single requirements',
    without: 'get_requirement, save_requirement and unlink_test read it in the list, which shows no branches',
  },
  listCoverageGaps: {
    noun: 'coverage gaps',
    without: 'find_coverage_gaps does not work; list_requirements shows the coverage of each requirement',
    tool: 'find_coverage_gaps',
    filters: { component_id: NOTHING },
  },
  getTestContext: {
    noun: 'test context',
    without:
      'get_test_context is made from the requirement and its links; past failures, conventions and similar tests are not stated',
    options: { max_files: 12, max_similar_tests: 3, max_tokens: 12_000 },
  },
  listTests: {
    noun: 'tests',
    without: 'list_tests and record_tests do not work, and a test is found by its id only',
    options: { view: 'TEST_VIEW_BASIC' },
    tool: 'list_tests',
    filters: { result_status: ['RESULT_STATUS_BLOCKED'], q: NOTHING, key: [NOTHING] },
  },
  getTest: { noun: 'single tests', without: 'get_test shows what the list has of it' },
  listTestLinks: { noun: 'links of tests', without: 'links are those that requirements and tests name' },
  listComponents: {
    noun: 'components',
    without: 'find_error_issues and find_coverage_gaps filter by component only with its id',
  },
  listBranches: { noun: 'quality branches', without: 'a quality branch is found by its id only' },
  getBranch: { noun: 'single quality branches', without: 'the id of a quality branch is found in their list' },
  listLinkProposals: {
    noun: 'link proposals',
    without: 'decide_link_proposals does not work, and review_branch shows none',
  },
  listEnvironments: {
    noun: 'environments',
    without: 'find_error_issues and get_error_issue filter by environment only with its id',
  },
  getEnvironment: { noun: 'single environments', without: 'delete_environment takes what the list says of it' },
  listReleases: {
    noun: 'releases',
    without: 'find_error_issues and get_error_issue filter by release only with its id',
    filters: { version: NOTHING, environment_id: NOTHING },
  },
  getRelease: {
    noun: 'single releases',
    without: 'get_release does not name the release before it, and an id is found only among the newest 50',
  },
  getGate: {
    noun: 'quality gate verdicts',
    without: 'get_quality_gate, accept_gate_risk and approve_gate_risk do not work',
  },
  getTraceability: {
    noun: 'traceability',
    without: 'get_quality_gate shows no traceability; list_requirements shows the coverage of each requirement',
  },
  listAgentTypes: {
    noun: 'agent types',
    without: 'create_agent_config does not work, and start_agent_run does not say what an agent may write',
  },
  listAgentConfigs: { noun: 'agent configs', without: 'an agent config is found by its id only' },
  getAgentConfig: {
    noun: 'single agent configs',
    without: 'get_agent_run does not name the config of a run',
  },
  listAgentRuns: { noun: 'agent runs', without: 'get_agent_run lists no runs, and follows one by its id' },
  getAgentRun: { noun: 'single agent runs', without: 'get_agent_run and cancel_agent_run do not work' },
  listAgentRunEvents: {
    noun: 'events of agent runs',
    without: 'get_agent_run shows the state and the output of a run alone',
  },
}
