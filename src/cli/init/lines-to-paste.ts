import type { Config } from '../../config.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import type { Machine } from '../clients/client.ts'
import { clients, findClient } from '../clients/list.ts'
import { ownCommand, quoted } from '../support/own-command.ts'
import { applicationLines } from './application-lines.ts'
import { ANY } from './languages.ts'
import type { RepositoryFacts } from './repository.ts'

interface Pasting {
  config: Config
  product: Product
  facts: RepositoryFacts
  /** The number of other products. */
  others: number
  /** Where the client of the agent has its file. */
  machine: Machine
}

/** What to paste into the application, the agent's client and the pipeline, in steps. No token is among it. */
export function linesToPaste({ config, product, facts, others, machine }: Pasting): string[] {
  // With one product nothing needs its name.
  const pin = others === 0 ? '' : ` --product ${quoted(product.name ?? product.id)}`
  const isLocal = config.baseUrl === undefined
  const where = isLocal ? ` --data ${quoted(config.dataDir)}${pin}` : pin
  const dsn = product.ingest?.dsn
  const steps = [
    ...(isLocal ? [['The server that receives the events; it has to run:', `  ${ownCommand()} serve${where}`]] : []),
    applicationLines({ config, facts, dsn, where, versionLine: versionLine(facts) }),
    clientLines(config, pin, machine),
    pipelineLines(config, facts, where),
  ]
  return [
    ...steps.flatMap((lines, index) => ['', ...numbered(lines, index + 1)]),
    '',
    'Then let your agent follow the prompt set_up_product. verify_setup says what is missing, and the first requirement comes from',
    'save_requirement.',
    'Once the product is set up, install again with --toolsets default: fewer tools cost your agent fewer tokens.',
  ]
}

/** A step's first line with its number, and the others below its text. */
function numbered(lines: readonly string[], number: number): string[] {
  return lines.map((line, index) => (line === '' ? '' : `${index === 0 ? `${String(number)}. ` : '   '}${line}`))
}

/** Sets VERSION: what the manifest says, else what git says. The application and the pipeline have to say the same. */
function versionLine({ name, manifest }: RepositoryFacts): string {
  if (manifest === undefined) {
    return `VERSION=${quoted(name)}@$(git describe --tags --always)   # no manifest names a version: that of git`
  }
  return `VERSION=${quoted(`${name}@${manifest.version}`)}   # as ${manifest.file} says; each release needs another one`
}

/** Toolsets that a new product needs in addition to the default. */
const FIRST_TOOLSETS = ['setup', 'requirements', 'ingest_dev']

/** `install` writes a reference to the token, never the token. */
function clientLines({ baseUrl, dataDir }: Config, pin: string, machine: Machine): string[] {
  const where = baseUrl === undefined ? ` --data ${quoted(dataDir)}` : ` --base-url ${quoted(baseUrl)}`
  const [file = ''] = findClient('claude-code')?.userFiles(machine) ?? []
  const others = clients.map(({ id }) => id).filter((id) => id !== 'claude-code')
  return [
    `Your agent; this changes ${file}, and prints what to paste instead without --write:`,
    `  ${ownCommand()} install claude-code${where}${pin} --toolsets default,${FIRST_TOOLSETS.join(',')} --write`,
    `or instead of claude-code: ${others.join(', ')}`,
    ...(baseUrl === undefined
      ? []
      : ['The token is read from TRACEGATE_API_TOKEN: set it where the client is started.']),
  ]
}

function hasMaps({ languages }: RepositoryFacts): boolean {
  return languages.some(({ inPages }) => inPages === true)
}

function testLines({ languages, packages }: RepositoryFacts): string[] {
  return languages.slice(0, 2).map(({ tests }) => {
    const found = Object.entries(tests).find(([name]) => packages.has(name))
    return found?.[1] ?? tests[ANY] ?? ''
  })
}

function pipelineLines({ baseUrl }: Config, facts: RepositoryFacts, where: string): string[] {
  const commands = [
    ...(baseUrl === undefined ? [] : [`export TRACEGATE_BASE_URL=${baseUrl}   # and TRACEGATE_API_TOKEN, as a secret`]),
    versionLine(facts),
    ...(hasMaps(facts) ? [`${ownCommand()} sourcemaps upload dist --release "$VERSION"${where}`] : []),
    ...testLines(facts),
    `${ownCommand()} report reports --release "$VERSION" --environment ci${where}`,
    `${ownCommand()} gate --release "$VERSION"${where}`,
  ]
  return [
    'In the pipeline, after the build and after the tests, even if they failed. For GitHub Actions and GitLab CI there are ready-made',
    'steps (.github/actions/tracegate and templates in the repository of Tracegate); anywhere else:',
    ...commands.map((command) => `  ${command}`),
    'The gate counts the tests of the version wherever they ran, and its errors in production; --environment would leave one of them out.',
  ]
}
