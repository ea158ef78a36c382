import type { Config } from '../../config.ts'
import { findClient } from '../clients/list.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { ownCommand, quoted } from '../support/own-command.ts'
import type { Plan, Wanted } from './plan.ts'
import type { RepositoryFacts } from './repository.ts'

/** What `--dry-run` prints. */
export function planned(plan: Plan, { name, repository }: Wanted): string[] {
  const { product, isUnnamed, lacksRepository, components, environments } = plan
  return [
    product === undefined
      ? `would create the product ${name}`
      : isUnnamed
        ? `would name the unnamed product ${product.id}: ${name}`
        : `would use the product ${product.name ?? product.id} (${product.id})`,
    ...(product === undefined || lacksRepository ? repositoryLine('would set', repository.url) : []),
    ...components.map((component) => `would create the component ${component.name}: ${component.glob}`),
    ...environments.map((environment) => `would create the environment ${environment.name}`),
    'Nothing was changed.',
  ]
}

/** What was done, one line for each kind of thing. */
export function done(plan: Plan, product: Product, { repository: wanted }: Wanted): string[] {
  const { product: found, isUnnamed, components, kept, environments } = plan
  const { id, name = 'unnamed', key_prefix: prefix = '', repository } = product
  const verb = found === undefined ? 'created' : isUnnamed ? 'named' : 'in use already'
  const globs = components.map((component) => `  ${component.name}: ${component.glob}`)
  return [
    `Product ${name} (${id}), ${verb}; keys of issues: ${prefix}-1, …`,
    ...(repository?.url === '' && wanted.url !== ''
      ? [`Repository: not set; a signed-in person can set it to ${wanted.url} in the web interface`]
      : repositoryLine('Repository', repository?.url ?? '')),
    `Components: ${String(components.length)} created${kept === 0 ? '' : `, ${String(kept)} there already`}`,
    ...globs,
    environments.length === 0
      ? 'Environments: all there already'
      : `Environments: created ${environments.map((environment) => environment.name).join(', ')}`,
  ]
}

/** The DSN and what to paste into the application, the agent's client and the pipeline. */
export function linesToPaste({
  config,
  product,
  facts,
  others,
}: {
  config: Config
  product: Product
  facts: RepositoryFacts
  others: number
}): string[] {
  const dsn = product.ingest?.dsn ?? ''
  // With one product nothing needs its name.
  const pin = others === 0 ? '' : ` --product ${quoted(product.name ?? product.id)}`
  return [
    '',
    `DSN: ${dsn}`,
    ...facts.languages.slice(0, 3).flatMap((language) => ['', `${language.name}:`, ...indented(language.start(dsn))]),
    '',
    'Claude Code:',
    ...indented([client(config, pin)]),
    ...(config.baseUrl === undefined
      ? ['', 'The server that receives the events:', ...indented([serve(config, pin)])]
      : []),
    '',
    'In the pipeline, after the build and after the tests, even if they failed:',
    ...indented(pipeline(config, facts, pin)),
  ]
}

function client({ baseUrl, dataDir }: Config, pin: string): string {
  const command = `${ownCommand()} stdio`
  if (baseUrl === undefined) {
    const embedded = `${command} --data ${quoted(dataDir)}${pin}`
    return findClient('claude-code')?.shell?.stdio(embedded) ?? embedded
  }
  const env = `--env TRACEGATE_BASE_URL=${baseUrl} --env TRACEGATE_API_TOKEN="$TRACEGATE_API_TOKEN"`
  return `claude mcp add ${env} --transport stdio tracegate -- ${command}${pin}`
}

function serve({ dataDir }: Config, pin: string): string {
  return `${ownCommand()} serve --data ${quoted(dataDir)}${pin}`
}

function pipeline({ baseUrl, dataDir }: Config, { languages }: RepositoryFacts, pin: string): string[] {
  const where = baseUrl === undefined ? ` --data ${quoted(dataDir)}${pin}` : pin
  const hasMaps = languages.some(({ name }) => name.startsWith('JavaScript'))
  return [
    ...(baseUrl === undefined ? [] : [`export TRACEGATE_BASE_URL=${baseUrl}   # and TRACEGATE_API_TOKEN, as a secret`]),
    ...(hasMaps ? [`${ownCommand()} sourcemaps upload dist --release "$VERSION"${where}`] : []),
    `${ownCommand()} report reports --release "$VERSION" --environment ci${where}`,
  ]
}

function repositoryLine(verb: string, url: string): string[] {
  return [
    url === ''
      ? 'Repository: unknown, because the folder has no remote "origin"; name it with --repository URL'
      : `${verb}: ${url}`,
  ]
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
