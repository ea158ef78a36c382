import type * as z from 'zod'
import type { Api, Received, ReceivedResult } from '../../client/api.ts'
import type * as agents from '../../contract/agents.ts'
import type * as branches from '../../contract/branches.ts'
import type * as components from '../../contract/components.ts'
import type * as environments from '../../contract/environments.ts'
import type { ResultOf } from '../../contract/index.ts'
import type * as products from '../../contract/products.ts'
import type * as requirements from '../../contract/requirements.ts'
import type * as tests from '../../contract/tests.ts'
import type { TeachingError } from '../result/teach.ts'
import type { ListedRows } from './requests.ts'

export type Product = Received<z.output<typeof products.Product>>
export type Workspace = Received<z.output<typeof products.Workspace>>
export type Environment = Received<z.output<typeof environments.Environment>>
export type Release = Received<z.output<typeof environments.Release>>
export type Component = Received<z.output<typeof components.Component>>
export type Branch = Received<z.output<typeof branches.Branch>>
export type AgentConfig = Received<z.output<typeof agents.AgentConfig>>
export type AgentRun = Received<z.output<typeof agents.AgentRun>>
export type Requirement = Received<z.output<typeof requirements.Requirement>>
export type Test = Received<z.output<typeof tests.Test>>
export type IssueInFull = ReceivedResult<ResultOf<'getIssue'>>

/** An issue by the id and the product that the paths of its endpoints take. */
export interface IssueReference {
  id: string
  product: Product
  /** How often it occurred, if it was found in a list. */
  timesSeen: number | undefined
  /** The error to throw when the service does not have the issue. */
  missing(this: void): TeachingError
}

export interface ResolveOptions {
  /** Writes do not accept prefix matches. */
  write?: boolean
}

/**
 * Turns names and keys into ids (mcp §3.1). Each method resolves to the one match, or rejects with a
 * `TeachingError` that lists the candidates.
 */
export interface Resolver {
  /** Every product the token may see; only the pinned one when one is pinned. */
  products(): Promise<Product[]>
  /** By id, name or key prefix; without a name the pinned or the only product. */
  product(given: string | undefined, options?: ResolveOptions): Promise<Product>
  /** By id, name or slug; without a name the only workspace. */
  workspace(given: string | undefined): Promise<Workspace>
  environments(productId: string): Promise<ListedRows<Environment>>
  environment(productId: string, given: string): Promise<Environment>
  /** The newest 50 that match. */
  releases(productId: string, filter?: { environmentId?: string; version?: string }): Promise<ListedRows<Release>>
  /** A version that exists in several environments requires one of them. */
  release(productId: string, given: string, environmentId: string | undefined): Promise<Release>
  /**
   * The same for the gate, which counts the tests of a version wherever they ran, and its issues in one environment: without
   * an environment the one in production, else in staging, else where the tests ran.
   */
  judgedRelease(productId: string, given: string, environmentId: string | undefined): Promise<Release>
  components(productId: string): Promise<ListedRows<Component>>
  component(productId: string, given: string): Promise<Component>
  /** Whether anything has ever reported to the product. */
  hasEvents(productId: string): Promise<boolean>
  /** By id or key (SHOP-31, whose prefix names the product); an issue of another product is not found. */
  issue(given: string, product?: string): Promise<IssueInFull>
  /** The id and product of an issue, which is read only when nothing else determines its product. */
  issueReference(given: string, product?: string): Promise<IssueReference>
  /** The open quality branches of a product, at most 1,000. */
  branches(productId: string): Promise<ListedRows<Branch>>
  /**
   * An open quality branch by id or exact name, of the product or, where undefined, of those that the token may see. Its
   * `product_id` is missing only where the deployment offers neither the list nor single branches. Rejects for a branch that
   * was merged or closed with the reason `BRANCH_NOT_OPEN`.
   */
  branch(given: string, productId: string | undefined): Promise<Branch>
  /** The agent configs of a product, at most 1,000. */
  agentConfigs(productId: string): Promise<ListedRows<AgentConfig>>
  /**
   * By id, exact name, or agent type where one config has it, of the product or, where undefined, of those that the token
   * may see.
   */
  agentConfig(given: string, product: string | undefined): Promise<{ config: AgentConfig; product: Product }>
  /** By id; a run of another product is not found. */
  agentRun(given: string, product: string | undefined): Promise<{ run: AgentRun; product: Product }>
  /**
   * By id, or by key (REQ-12) in the given, pinned or only product; a requirement of another product is not found. With the
   * id of a quality branch as it is there, where new ones have keys such as REQ-?3.
   */
  requirement(
    given: string,
    product?: string,
    branchId?: string,
  ): Promise<{ requirement: Requirement; product: Product }>
  /** The same for a test (TC-7). */
  test(given: string, product?: string, branchId?: string): Promise<{ test: Test; product: Product }>
}

/** What the parts of a resolver share for the length of one call. */
export interface ResolverCall extends Pick<Resolver, 'products' | 'product'> {
  api: Api
  signal: AbortSignal
  /** Whether one product is pinned. */
  isPinned: boolean
}
