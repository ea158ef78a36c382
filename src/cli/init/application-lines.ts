import type { Config } from '../../config.ts'
import { ownCommand, quoted } from '../support/own-command.ts'
import { findApplication } from './application.ts'
import type { RepositoryFacts } from './repository.ts'

interface Application {
  config: Config
  facts: RepositoryFacts
  /** With the public key of the product; undefined where a deployment does not state it. */
  dsn: string | undefined
  /** The flags that name the data directory and the product. */
  where: string
  /** Sets VERSION. */
  versionLine: string
}

/** What goes into the application: first for what it is, then for what it is not. */
export function applicationLines(application: Application): string[] {
  const { isBackend, isPage } = findApplication(application.facts)
  if (!isBackend)
    return [...pageLines(application, 'The application is a web page or an app.'), '', ...keyLines(application)]
  const what = isPage ? 'The application has a backend.' : 'The application is a backend.'
  const page = isPage ? pageLines(application, 'It has pages as well.') : publicLines(application)
  return [...backendLines(application, what), '', ...page]
}

/** The backend's own lines, with those of its languages. */
function backendLines({ config, facts, dsn, where, versionLine }: Application, what: string): string[] {
  const key = config.baseUrl === undefined ? `'the DSN that it printed'` : dsn === undefined ? '"$DSN"' : quoted(dsn)
  return [
    ...(config.baseUrl === undefined
      ? [
          `${what} Only errors that come with a server key can block a release, so it needs a DSN with`,
          'one. Such a DSN is a secret, and this command prints it once:',
          ...indented([keyCommand(facts, where)]),
          'Where the application runs:',
        ]
      : [what, ...deploymentLines, 'Where the application runs:']),
    ...indented([versionLine, `export SENTRY_DSN=${key} SENTRY_RELEASE="$VERSION" SENTRY_ENVIRONMENT=production`]),
    'The gate counts errors in production and staging. On your machine, set SENTRY_ENVIRONMENT=development: crashes there become issues',
    'too, but never affect the gate. The tests of the pipeline run in ci.',
    ...facts.languages
      .slice(0, 3)
      .flatMap(({ name, install, start }) => ['', `${name}:`, ...indented([install, ...start])]),
  ]
}

/** Only people in a web session manage the keys of a deployment, not the holders of API tokens. */
const deploymentLines = [
  'The API of a deployment gives no DSN for backends, whose errors can block a release. Whoever runs the deployment makes one:',
  'in its web interface or, if it is Tracegate, with tracegate admin key add --server on the machine that has its data.',
]

function pageLines({ facts, dsn }: Application, what: string): string[] {
  const { name, manifest } = facts
  const given = dsn === undefined ? 'dsn' : `dsn: '${dsn}'`
  const release = manifest === undefined ? '…' : `${name}@${manifest.version}`
  return [
    `${what} Its DSN is public: errors that come with it are listed, and block a release once a member of`,
    'your team says that they count.',
    ...indented([
      'npm install @sentry/browser   # or that of the framework, as @sentry/react',
      `Sentry.init({ ${given}, release: ${JSON.stringify(release)}, environment: 'production' })`,
    ]),
  ]
}

function publicLines({ dsn }: Application): string[] {
  return [
    'Web pages and apps have the public DSN; errors that come with it block no release by themselves:',
    ...indented([dsn ?? 'not stated by this deployment; its web interface shows it']),
  ]
}

function keyLines({ config, facts, where }: Application): string[] {
  if (config.baseUrl !== undefined) return deploymentLines
  return [
    'A backend needs a DSN with a server key, which is a secret; only errors that come with one can block a release:',
    ...indented([keyCommand(facts, where)]),
  ]
}

function keyCommand({ name }: RepositoryFacts, where: string): string {
  return `${ownCommand()} admin key add --server --name ${quoted(name)}${where}`
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
