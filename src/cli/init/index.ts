import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Api } from '../../client/api.ts'
import { timeLimit } from '../../client/budget.ts'
import { ConfigError, type Config } from '../../config.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { thisMachine } from '../clients/machine.ts'
import { apiFor, type Backend } from '../support/backend.ts'
import { visibleProducts } from '../support/choose-product.ts'
import { claimOrigin } from '../support/data-port.ts'
import { plainLines } from '../support/finding.ts'
import type { Io } from '../support/io.ts'
import { withBackend } from '../support/with-backend.ts'
import { fieldsToSend } from './compare-components.ts'
import { linesToPaste } from './lines-to-paste.ts'
import { done, planned } from './lines.ts'
import { onlyWorkspace, planFresh, readPlan, type Plan, type Wanted } from './plan.ts'
import { readRepository, type RepositoryFacts } from './repository.ts'

/**
 * `tracegate init [DIR]`: sets up a product for the repository in a folder and prints the lines to paste. It makes
 * what is missing and brings up to date what it made, so a second run changes nothing. Resolves to 1 when the service refuses.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const facts = readRepository(repositoryFolder(config.operands[0]))
  const wanted = wantedProduct(config, facts)
  const say = (lines: readonly string[]) => void io.stdout.write(`${plainLines(lines.join('\n'))}\n`)
  const isLocal = config.baseUrl === undefined
  const isFresh = isLocal && config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'tracegate.db'))
  if (config.dryRun && isFresh) {
    say(planned(planFresh(wanted), wanted, facts))
    return 0
  }
  const placed = isLocal && !config.dryRun ? { ...config, origin: await claimOrigin(config, io) } : config
  return withBackend(placed, io, async (backend) => {
    const api = apiFor(backend, backend.token ?? '')
    const plan = await readPlan(api, wanted, { named: config.product, embedded: backend.service !== undefined })
    if (config.dryRun) say(planned(plan, wanted, facts))
    else {
      const product = await carryOut(plan, wanted, { api, backend })
      const canChange = backend.service !== undefined
      say([
        ...done(plan, product, { wanted, facts, canChange }),
        ...linesToPaste({ config, product, facts, others: plan.others, machine: thisMachine(io.env) }),
      ])
    }
    return 0
  })
}

function repositoryFolder(given = '.'): string {
  const folder = resolve(given)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw new ConfigError(`init: there is no folder ${folder}`)
}

function wantedProduct({ name, keyPrefix, repository }: Config, facts: RepositoryFacts): Wanted {
  return {
    name: name ?? facts.name,
    isNamed: name !== undefined,
    keyPrefix,
    repository: {
      url: repository ?? facts.url,
      default_branch: facts.defaultBranch,
      test_globs: [...facts.testGlobs],
    },
    components: facts.components,
    files: facts.files,
    isPart: facts.isPart,
  }
}

/** Makes what is missing; resolves to the product as it then is. */
async function carryOut(
  plan: Plan,
  wanted: Wanted,
  { api, backend }: { api: Api; backend: Backend },
): Promise<Product> {
  const { name, keyPrefix, repository } = wanted
  const facts = { name, ...(keyPrefix !== undefined && { key_prefix: keyPrefix }), repository }
  const { product: existing } = plan
  const id = existing?.id ?? (await createProduct(api, facts))
  if (existing && (plan.isUnnamed || plan.lacksRepository)) await backend.service?.describeProduct(id, facts)
  for (const component of plan.components.created) {
    await api.createComponent({ product_id: id, name: component.name, ...fieldsToSend(component) })
  }
  await backend.service?.changeComponents(id, plan.components.changed)
  for (const environment of plan.environments) await api.createEnvironment({ product_id: id, ...environment })
  const products = await visibleProducts(api, id, timeLimit(30_000))
  return products.find((one) => one.id === id) ?? { id }
}

async function createProduct(
  api: Api,
  facts: Pick<Wanted, 'name' | 'repository'> & { key_prefix?: string },
): Promise<string> {
  const { product } = await api.createProduct({ workspace_id: await onlyWorkspace(api), ...facts })
  return product.id
}
