import type * as z from 'zod'
import * as agents from './agents.ts'
import * as branches from './branches.ts'
import * as components from './components.ts'
import * as distill from './distill.ts'
import * as environments from './environments.ts'
import * as fixContext from './fix-context.ts'
import * as gate from './quality-gate/gate.ts'
import * as issueEvents from './issue-events.ts'
import * as issues from './issues.ts'
import * as links from './links.ts'
import * as products from './products.ts'
import * as requirements from './requirements.ts'
import * as retrieval from './retrieval.ts'
import * as sourcemaps from './sourcemaps.ts'
import * as testIngest from './test-ingest.ts'
import * as tests from './tests.ts'
import * as traceability from './traceability.ts'

/**
 * The table of all endpoints of the specification, in its order. Client, router, OpenAPI and the map of endpoints to
 * tools are folds over it; routes and client methods are never written by hand.
 */
export const contract = {
  getMe: products.getMe,
  updateOnboarding: products.updateOnboarding,
  listWorkspaces: products.listWorkspaces,
  createProduct: products.createProduct,
  listProducts: products.listProducts,
  verifySetup: products.verifySetup,
  createRequirement: requirements.createRequirement,
  listRequirements: requirements.listRequirements,
  getRequirement: requirements.getRequirement,
  updateRequirement: requirements.updateRequirement,
  deleteRequirement: requirements.deleteRequirement,
  createTest: tests.createTest,
  updateTest: tests.updateTest,
  listTests: tests.listTests,
  getTest: tests.getTest,
  deleteTest: tests.deleteTest,
  linkTest: links.linkTest,
  unlinkTest: links.unlinkTest,
  listTestLinks: links.listTestLinks,
  listLinkProposals: links.listLinkProposals,
  reviewLinkProposals: links.reviewLinkProposals,
  ingestTests: testIngest.ingestTests,
  createBranch: branches.createBranch,
  listBranches: branches.listBranches,
  getBranch: branches.getBranch,
  deleteBranch: branches.deleteBranch,
  previewMerge: branches.previewMerge,
  mergeBranch: branches.mergeBranch,
  createComponent: components.createComponent,
  listComponents: components.listComponents,
  createEnvironment: environments.createEnvironment,
  listEnvironments: environments.listEnvironments,
  getEnvironment: environments.getEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  upsertRelease: environments.upsertRelease,
  listReleases: environments.listReleases,
  getRelease: environments.getRelease,
  computeGate: gate.computeGate,
  getGate: gate.getGate,
  getTraceability: traceability.getTraceability,
  acceptRisk: gate.acceptRisk,
  approveRisk: gate.approveRisk,
  reviewExclusions: gate.reviewExclusions,
  listAgentTypes: agents.listAgentTypes,
  listAgentConfigs: agents.listAgentConfigs,
  getAgentConfig: agents.getAgentConfig,
  createAgentConfig: agents.createAgentConfig,
  deleteAgentConfig: agents.deleteAgentConfig,
  startAgentRun: agents.startAgentRun,
  cancelAgentRun: agents.cancelAgentRun,
  getAgentRun: agents.getAgentRun,
  listAgentRuns: agents.listAgentRuns,
  listAgentRunEvents: agents.listAgentRunEvents,
  streamAgentRunEvents: agents.streamAgentRunEvents,
  listCoverageGaps: retrieval.listCoverageGaps,
  getTestContext: retrieval.getTestContext,
  prepareTestContext: retrieval.prepareTestContext,
  distillIntent: distill.distillIntent,
  listIssues: issues.listIssues,
  getIssue: issues.getIssue,
  listIssueEvents: issueEvents.listIssueEvents,
  getIssueEvent: issueEvents.getIssueEvent,
  getIssueEvents: issueEvents.getIssueEvents,
  getIssueStats: issueEvents.getIssueStats,
  listReleaseIssues: issues.listReleaseIssues,
  setIssueStatus: issues.setIssueStatus,
  bulkSetIssueStatus: issues.bulkSetIssueStatus,
  getFixContext: fixContext.getFixContext,
  createSourceMap: sourcemaps.createSourceMap,
  confirmSourceMap: sourcemaps.confirmSourceMap,
}

export type Contract = typeof contract
export type EndpointName = keyof Contract
/** The parsed input of a handler: path, query and body in one object. */
export type InputOf<N extends EndpointName> = z.output<Contract[N]['input']>
/** The request that a caller may send. */
export type RequestOf<N extends EndpointName> = z.input<Contract[N]['input']>
/** The result of a handler: plain values, every member present. */
export type ResponseOf<N extends EndpointName> = z.input<Contract[N]['returns']>
/** The result that a caller gets if the deployment follows the contract exactly: outsiders' text is `Untrusted<…>`. */
export type ResultOf<N extends EndpointName> = z.output<Contract[N]['returns']>
