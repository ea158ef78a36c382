import type { Api } from '../../client/api.ts'
import { timeLimit } from '../../client/budget.ts'
import { ConfigError } from '../../config.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import type { Environment, Product } from '../../mcp/resolve/types.ts'
import { textMatching } from '../../mcp/text/untrusted.ts'
import { firstProduct } from '../../service/workspace/first-product.ts'
import { chooseProduct, visibleProducts } from '../support/choose-product.ts'
import { compareComponents, type ComponentPlan } from './compare-components.ts'
import type { SuggestedComponent } from './owned-components.ts'

/** The product to set up. */
export interface Wanted {
  name: string
  /** True if the user gave the name, which then alone decides which product it is. */
  isNamed: boolean
  keyPrefix?: string | undefined
  repository: { url: string; default_branch: string; test_globs: string[] }
  components: readonly SuggestedComponent[]
  files: readonly string[]
  /** Whether the folder is a part of the repository: other products may have its address too. */
  isPart: boolean
}

/** The environments of a new product. Others are added when an event or a report names them. */
const usualEnvironments = [
  { name: 'production', kind: 'ENVIRONMENT_KIND_PRODUCTION' },
  { name: 'staging', kind: 'ENVIRONMENT_KIND_STAGING' },
  { name: 'development', kind: 'ENVIRONMENT_KIND_DEVELOPMENT' },
  { name: 'ci', kind: 'ENVIRONMENT_KIND_TEST' },
] as const

/** What is missing, in the order in which it is made. */
export interface Plan {
  /** The product to use; undefined: a new one. */
  product: Product | undefined
  /** Whether the product still has the name that the first start gave it. */
  isUnnamed: boolean
  /** Whether the product lacks the repository's address that is known. */
  lacksRepository: boolean
  components: ComponentPlan
  environments: readonly (typeof usualEnvironments)[number][]
  /** The number of other products. If there are any, each command has to name the product. */
  others: number
}

/** The plan for a data directory that has no database yet. */
export function planFresh({ components, repository }: Wanted): Plan {
  const product = { id: '1', name: firstProduct.name, slug: firstProduct.slug }
  const lacksRepository = repository.url !== ''
  const created = { created: components, changed: [], kept: 0 }
  return {
    product,
    isUnnamed: true,
    lacksRepository,
    components: created,
    environments: usualEnvironments,
    others: 0,
  }
}

/**
 * Compares the service with what is wanted. The product is the one that `named` names, else the one with this
 * repository, else the one with this name, else the unnamed one of the embedded service. Changes nothing.
 */
export async function readPlan(
  api: Api,
  wanted: Wanted,
  { named, embedded }: { named: string | undefined; embedded: boolean },
): Promise<Plan> {
  const signal = timeLimit(30_000)
  const resolver = createResolver({ api, pinned: undefined, signal })
  const all = await visibleProducts(api, named, signal)
  const product = named === undefined ? findProduct(all, wanted, embedded) : await chooseProduct(api, named, signal)
  const others = all.filter(({ id }) => id !== product?.id).length
  // Elsewhere than in this process, only a signed-in person can change a product.
  const changes = {
    isUnnamed: embedded && isUnnamed(product),
    lacksRepository: embedded && lacksRepository(product, wanted),
  }
  const usable = { product, others, ...changes }
  if (product === undefined) {
    const components = { created: wanted.components, changed: [], kept: 0 }
    return { ...usable, components, environments: usualEnvironments }
  }
  const [{ rows: components }, { rows: environments }] = await Promise.all([
    resolver.components(product.id),
    resolver.environments(product.id),
  ])
  return {
    ...usable,
    components: compareComponents(wanted.components, components, wanted.files),
    environments: usualEnvironments.filter(({ name }) => !hasEnvironment(environments, name)),
  }
}

/** The workspace of a new product. Throws a `ConfigError` unless the token has exactly one. */
export async function onlyWorkspace(api: Api): Promise<string> {
  const { workspaces } = await api.listWorkspaces({})
  const [only, ...others] = workspaces
  if (only !== undefined && others.length === 0) return only.id
  throw new ConfigError(
    only === undefined
      ? 'the token has access to no workspace: use one that has'
      : 'the token has access to several workspaces: create the product in one of them, then run init with --product NAME',
  )
}

function findProduct(
  all: readonly Product[],
  { name, isNamed, isPart, repository }: Wanted,
  embedded: boolean,
): Product | undefined {
  const same = isNamed || repository.url === '' ? [] : all.filter((one) => one.repository?.url === repository.url)
  return (
    same.find((one) => one.name === name) ??
    (isPart ? undefined : same[0]) ??
    all.find((one) => one.name === name) ??
    (embedded && all.length === 1 ? all.find(isUnnamed) : undefined)
  )
}

function isUnnamed(product: Product | undefined): boolean {
  return product?.name === firstProduct.name && product.slug === firstProduct.slug
}

function lacksRepository(product: Product | undefined, { repository }: Wanted): boolean {
  return product !== undefined && product.repository?.url === '' && repository.url !== ''
}

function hasEnvironment(environments: readonly Environment[], name: string): boolean {
  // One that only events named is adopted by creating it (contract §6).
  return environments.some((one) => one.known !== false && textMatching(one.name, /^[a-z]+$/) === name)
}
