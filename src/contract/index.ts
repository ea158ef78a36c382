import type * as z from 'zod'
import * as components from './components.ts'
import * as environments from './environments.ts'
import * as issues from './issues.ts'
import * as products from './products.ts'

/**
 * The table of all endpoints of the specification, in its order. Client, router, OpenAPI and the map of endpoints to
 * tools are folds over it; nobody writes a route or a client method by hand.
 */
export const contract = {
  getMe: products.getMe,
  updateOnboarding: products.updateOnboarding,
  listWorkspaces: products.listWorkspaces,
  createProduct: products.createProduct,
  listProducts: products.listProducts,
  verifySetup: products.verifySetup,
  createComponent: components.createComponent,
  listComponents: components.listComponents,
  createEnvironment: environments.createEnvironment,
  listEnvironments: environments.listEnvironments,
  getEnvironment: environments.getEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  upsertRelease: environments.upsertRelease,
  listReleases: environments.listReleases,
  getRelease: environments.getRelease,
  listIssues: issues.listIssues,
  getIssue: issues.getIssue,
  listIssueEvents: issues.listIssueEvents,
  getIssueEvent: issues.getIssueEvent,
  getIssueStats: issues.getIssueStats,
  listReleaseIssues: issues.listReleaseIssues,
  setIssueStatus: issues.setIssueStatus,
  bulkSetIssueStatus: issues.bulkSetIssueStatus,
  getFixContext: issues.getFixContext,
}

export type Contract = typeof contract
export type EndpointName = keyof Contract
/** What a handler receives: parsed, with path, query and body in one object. */
export type InputOf<N extends EndpointName> = z.output<Contract[N]['input']>
/** What a caller may send. */
export type RequestOf<N extends EndpointName> = z.input<Contract[N]['input']>
/** What a handler returns: plain values, every member present. */
export type ResponseOf<N extends EndpointName> = z.input<Contract[N]['returns']>
/** What a caller gets when the deployment follows the contract to the letter: outsiders' text is `Untrusted<…>`. */
export type ResultOf<N extends EndpointName> = z.output<Contract[N]['returns']>
