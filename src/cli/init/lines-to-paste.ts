import type { Config } from '../../config.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { clients } from '../clients/list.ts'
import { ownCommand, quoted } from '../support/own-command.ts'
import { ANY, type Language } from './languages.ts'
import type { RepositoryFacts } from './repository.ts'

interface Pasting {
  config: Config
  product: Product
  facts: RepositoryFacts
  /** The number of other products. */
  others: number
}

/** The DSN and what to paste into the application, the agent's client and the pipeline. No token is among it. */
export function linesToPaste({ config, product, facts, others }: Pasting): string[] {
  const dsn = product.ingest?.dsn
  // With one product nothing needs its name.
  const pin = others === 0 ? '' : ` --product ${quoted(product.name ?? product.id)}`
  const used = facts.languages.slice(0, 3)
  return [
    '',
    `DSN: ${dsn ?? 'not stated by this deployment; its web interface shows it'}`,
    '',
    '1. Where the application runs, set its DSN, version and environment:',
    ...indented([
      versionLine(facts),
      `export SENTRY_DSN=${dsn === undefined ? '"$DSN"' : quoted(dsn)} SENTRY_RELEASE="$VERSION" SENTRY_ENVIRONMENT=production`,
    ]),
    ...used.flatMap((language) => [
      '',
      `   ${language.name}:`,
      ...indented([language.install, ...start(language, dsn)]),
    ]),
    ...(config.baseUrl === undefined ? serverLines(config, pin) : deploymentLines),
    '',
    '2. Your agent:',
    ...indented(clientLines(config, pin)),
    '',
    ...pipelineLines(config, facts, pin),
    '',
    'Then let your agent follow the prompt set_up_product. verify_setup says what is missing, and the first requirement comes from',
    'save_requirement.',
    'Once the product is set up, install again with --toolsets default: fewer tools cost your agent fewer tokens.',
  ]
}

/** Sets VERSION: what the manifest says, else what git says. The application and the pipeline have to say the same. */
function versionLine({ name, manifest }: RepositoryFacts): string {
  if (manifest === undefined) {
    return `VERSION=${quoted(name)}@$(git describe --tags --always)   # no manifest names a version: that of git`
  }
  return `VERSION=${quoted(`${name}@${manifest.version}`)}   # as ${manifest.file} says; each release needs another one`
}

function start(language: Language, dsn: string | undefined): string[] {
  const isScript = language.name.startsWith('JavaScript')
  // A page has no environment; its DSN is public.
  const given = dsn === undefined ? 'dsn' : `dsn: '${dsn}'`
  const browser = `// in a browser: @sentry/browser, Sentry.init({ ${given}, release, environment })`
  return [...language.start, ...(isScript ? [browser] : [])]
}

function serverLines({ dataDir }: Config, pin: string): string[] {
  const data = ` --data ${quoted(dataDir)}`
  return [
    '',
    '   The server that receives the events:',
    ...indented([`${ownCommand()} serve${data}${pin}`]),
    '   A DSN for backends, whose errors can block a release (keep it secret):',
    ...indented([`${ownCommand()} admin key add --server${data}${pin}`]),
  ]
}

/** Only people in a web session manage the keys of a deployment, not the holders of API tokens. */
const deploymentLines = [
  '',
  '   The API of a deployment gives no DSN for backends, whose errors can block a release. Whoever runs the deployment makes one:',
  '   in its web interface or, if it is Tracegate, with tracegate admin key add --server on the machine that has its data.',
]

/** Toolsets that a new product needs in addition to the default: for `verify_setup` and for `save_requirement`. */
const FIRST_TOOLSETS = ['setup', 'requirements']

/** `install` writes a reference to the token, never the token. */
function clientLines({ baseUrl, dataDir }: Config, pin: string): string[] {
  const where = baseUrl === undefined ? ` --data ${quoted(dataDir)}` : ` --base-url ${quoted(baseUrl)}`
  const others = clients.map(({ id }) => id).filter((id) => id !== 'claude-code')
  return [
    `${ownCommand()} install claude-code${where}${pin} --toolsets default,${FIRST_TOOLSETS.join(',')} --write`,
    `or instead of claude-code: ${others.join(', ')}`,
    ...(baseUrl === undefined
      ? []
      : ['The token is read from TRACEGATE_API_TOKEN: set it where the client is started.']),
  ]
}

function hasMaps({ languages }: RepositoryFacts): boolean {
  return languages.some(({ name }) => name.startsWith('JavaScript'))
}

function testLines({ languages, packages }: RepositoryFacts): string[] {
  return languages.slice(0, 2).map(({ tests }) => {
    const found = Object.entries(tests).find(([name]) => packages.has(name))
    return found?.[1] ?? tests[ANY] ?? ''
  })
}

function pipelineLines(config: Config, facts: RepositoryFacts, pin: string): string[] {
  const { baseUrl, dataDir } = config
  const where = baseUrl === undefined ? ` --data ${quoted(dataDir)}${pin}` : pin
  return [
    '3. In the pipeline, after the build and after the tests, even if they failed. For GitHub Actions and GitLab CI there are ready-made',
    '   steps (.github/actions/tracegate and templates in the repository of Tracegate); anywhere else:',
    ...indented([
      ...(baseUrl === undefined
        ? []
        : [`export TRACEGATE_BASE_URL=${baseUrl}   # and TRACEGATE_API_TOKEN, as a secret`]),
      versionLine(facts),
      ...(hasMaps(facts) ? [`${ownCommand()} sourcemaps upload dist --release "$VERSION"${where}`] : []),
      ...testLines(facts),
      `${ownCommand()} report reports --release "$VERSION" --environment ci${where}`,
      `${ownCommand()} gate${where}`,
    ]),
  ]
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `     ${line}`)
}
