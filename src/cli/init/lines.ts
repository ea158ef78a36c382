import type { Product } from '../../mcp/resolve/types.ts'
import { ownerNames } from './compare-components.ts'
import type { SuggestedComponent } from './owned-components.ts'
import type { Plan, Wanted } from './plan.ts'
import type { RepositoryFacts } from './repository.ts'

/** What `--dry-run` prints. */
export function planned(plan: Plan, { name, repository }: Wanted, facts: RepositoryFacts): string[] {
  const { product, isUnnamed, lacksRepository, components, environments } = plan
  return [
    product === undefined
      ? `would create the product ${name}`
      : isUnnamed
        ? `would name the unnamed product ${product.id}: ${name}`
        : `would use the product ${product.name ?? product.id} (${product.id})`,
    ...(product === undefined || lacksRepository ? repositoryLine('would set', repository.url) : []),
    ...components.created.map((component) => `would create the component ${componentLine(component)}`),
    ...components.changed.map(({ name: changed, why }) => `would change the component ${changed}: ${why}`),
    ...environments.map((environment) => `would create the environment ${environment.name}`),
    ...unreadLines(facts),
    'Nothing was changed.',
  ]
}

/** What was done, one line for each kind of thing; `canChange` unless only a signed-in person may change what exists. */
export function done(
  plan: Plan,
  product: Product,
  { wanted, facts, canChange }: { wanted: Wanted; facts: RepositoryFacts; canChange: boolean },
): string[] {
  const { product: found, isUnnamed, lacksRepository, components, environments } = plan
  const { id, name = 'unnamed', key_prefix: prefix = '', repository } = product
  const verb = found === undefined ? 'created' : isUnnamed ? 'named' : 'in use already'
  const { created, changed, kept } = components
  const counts = [
    `${String(created.length)} created`,
    ...(changed.length === 0 || !canChange ? [] : [`${String(changed.length)} changed`]),
    ...(kept === 0 ? [] : [`${String(kept)} there already`]),
  ]
  const changes = found === undefined || isUnnamed || lacksRepository || created.length > 0 || environments.length > 0
  return [
    `Product ${name} (${id}), ${verb}; keys of issues: ${prefix}-1, …`,
    ...(repository?.url === '' && wanted.repository.url !== ''
      ? [`Repository: not set; a signed-in person can set it to ${wanted.repository.url} in the web interface`]
      : repositoryLine('Repository', repository?.url ?? '')),
    `Components: ${counts.join(', ')}`,
    ...created.map((component) => `  ${componentLine(component)}`),
    ...changed.map((change) =>
      canChange
        ? `  ${change.name}: ${change.why}`
        : `  ${change.name} differs from the repository; a signed-in person can change it: ${change.why}`,
    ),
    ...unreadLines(facts),
    environments.length === 0
      ? 'Environments: all there already'
      : `Environments: created ${environments.map((environment) => environment.name).join(', ')}`,
    ...(changes || (canChange && changed.length > 0) ? [] : ['Nothing was changed.']),
  ]
}

/** A name, its files and its owners. */
function componentLine({ name, globs, excludes, owners }: SuggestedComponent): string {
  const without = excludes.length === 0 ? '' : ` without ${excludes.join(', ')}`
  return `${name}: ${globs.join(', ')}${without}${owners.length === 0 ? '' : `, owned by ${ownerNames(owners)}`}`
}

/** Lines of CODEOWNERS that are shown by their numbers. */
const SHOWN = 10

function unreadLines({ codeOwners }: RepositoryFacts): string[] {
  if (codeOwners === undefined || codeOwners.unread.length === 0) return []
  const { file, unread } = codeOwners
  const more = unread.length > SHOWN ? ` and ${String(unread.length - SHOWN)} more` : ''
  return [`${file}: not used: line ${unread.slice(0, SHOWN).join(', ')}${more}, which no glob can say`]
}

function repositoryLine(verb: string, url: string): string[] {
  return [
    url === ''
      ? 'Repository: unknown, because the folder has no remote "origin"; name it with --repository URL'
      : `${verb}: ${url}`,
  ]
}
