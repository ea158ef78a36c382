import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import envPaths from 'env-paths'
import { expect, test } from 'vitest'
import { flagVariables } from '../src/config-flags.ts'
import { readConfig } from '../src/config-read.ts'
import { ConfigError, type Config } from '../src/config.ts'
import { Environment } from '../src/config-variables.ts'

const deployment = { TRACEGATE_BASE_URL: 'https://quality.example/api', TRACEGATE_API_TOKEN: 'tg_x' }

test('without flags and variables, the embedded service is served over stdio with the defaults', () => {
  expect(readConfig([], {})).toEqual({
    command: 'stdio',
    operands: [],
    toolsets: ['default'],
    readOnly: false,
    confirm: 'ask',
    dataDir: envPaths('tracegate', { suffix: '' }).data,
    allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
    roots: [process.cwd()],
    newIssuesPerHour: 200,
    logLevel: 'info',
    host: '127.0.0.1',
    sample: false,
    serverKey: false,
    dryRun: false,
    json: false,
    requirementTags: true,
    tokenKind: 'person',
    timeoutSeconds: 60,
    format: 'text',
    write: false,
    settings: {},
    unresolved: [],
  } satisfies Config)
})

test.each<[string, string[], Record<string, string>, Partial<Config>]>([
  ['a deployment', [], deployment, { baseUrl: 'https://quality.example/api', apiToken: 'tg_x' }],
  [
    'trailing slashes of the address',
    [],
    { ...deployment, TRACEGATE_BASE_URL: 'https://q.example//' },
    { baseUrl: 'https://q.example' },
  ],
  [
    'http on this machine',
    [],
    { ...deployment, TRACEGATE_BASE_URL: 'http://127.0.0.1:4319' },
    { baseUrl: 'http://127.0.0.1:4319' },
  ],
  [
    'an address in front of which each caller brings a token',
    ['serve'],
    { TRACEGATE_BASE_URL: 'https://q.example' },
    { baseUrl: 'https://q.example' },
  ],
  [
    'a token for the server of --url',
    ['call', 'x', '--url', 'http://h/mcp'],
    { TRACEGATE_API_TOKEN: 't' },
    { url: 'http://h/mcp', apiToken: 't' },
  ],
  ['a product', [], { TRACEGATE_PRODUCT: 'My shop' }, { product: 'My shop' }],
  ['a flag over its variable', ['--product', '2'], { TRACEGATE_PRODUCT: '1' }, { product: '2' }],
  ['toolsets', [], { TRACEGATE_TOOLSETS: ' default, releases ,,' }, { toolsets: ['default', 'releases'] }],
  ['toolsets by flag', ['--toolsets', 'all'], {}, { toolsets: ['all'] }],
  ['read only', [], { TRACEGATE_READ_ONLY: 'TRUE' }, { readOnly: true }],
  ['a stricter way to confirm', [], { TRACEGATE_CONFIRM: 'page' }, { confirm: 'page' }],
  ['read only by 0', [], { TRACEGATE_READ_ONLY: '0' }, { readOnly: false }],
  ['read only by flag', ['--read-only'], { TRACEGATE_READ_ONLY: 'no' }, { readOnly: true }],
  ['a data directory', ['--data', 'here'], { TRACEGATE_DATA_DIR: '/there' }, { dataDir: resolve('here') }],
  ['a data directory below the home', [], { TRACEGATE_DATA_DIR: '~/there' }, { dataDir: join(homedir(), 'there') }],
  ['the home', ['--data', '~'], {}, { dataDir: homedir() }],
  ['a data directory with a ~ in its name', ['--data', '~there'], {}, { dataDir: resolve('~there') }],
  ['a database', [], { TRACEGATE_DATABASE_URL: 'postgres://h/db' }, { databaseUrl: 'postgres://h/db' }],
  [
    'allowed hosts, one of them the public origin',
    ['serve', '--host', '0.0.0.0'],
    { TRACEGATE_ALLOWED_HOSTS: 'build-7, https://Quality.example:8443' },
    {
      host: '0.0.0.0',
      allowedHosts: ['localhost', '127.0.0.1', '[::1]', 'build-7', 'quality.example'],
      origin: 'https://quality.example:8443',
    },
  ],
  ['roots', [], { TRACEGATE_ROOTS: ['/a', 'b', ''].join(delimiter) }, { roots: ['/a', join(process.cwd(), 'b')] }],
  ['roots below the home', [], { TRACEGATE_ROOTS: '~/a' }, { roots: [join(homedir(), 'a')] }],
  ['a log level', [], { TRACEGATE_LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
  ['a secret', [], { TRACEGATE_SECRET: 's'.repeat(32) }, { secret: 's'.repeat(32) }],
  ['port 0', ['serve', '--port', '0', '--sample'], {}, { command: 'serve', port: 0, sample: true }],
  ['an empty variable', [], { TRACEGATE_LOG_LEVEL: '', TRACEGATE_API_TOKEN: ' ' }, { logLevel: 'info' }],
  [
    'a call',
    ['call', 'find', '{"a":"--b"}', '--json'],
    {},
    { command: 'call', operands: ['find', '{"a":"--b"}'], json: true },
  ],
  [
    'an upload of source maps',
    ['sourcemaps', 'upload', 'dist', '--release', ' shop@1.4.0 ', '--dist', '7', '--url-prefix', '~/static'],
    {},
    {
      command: 'sourcemaps',
      operands: ['upload', 'dist'],
      release: 'shop@1.4.0',
      dist: '7',
      urlPrefix: '~/static/',
    },
  ],
  [
    'reports of a test run',
    'report a.xml reports --environment ci --branch main --commit 0123abc --run-key 7 --root /app --url https://ci.example/7 --no-requirement-tags --release 1.4.0'.split(
      ' ',
    ),
    {},
    {
      command: 'report',
      operands: ['a.xml', 'reports'],
      release: '1.4.0',
      environment: 'ci',
      gitBranch: 'main',
      commit: '0123abc',
      runKey: '7',
      root: '/app',
      ciUrl: 'https://ci.example/7',
      requirementTags: false,
    },
  ],
  ['requirement tags', ['report', 'a.xml', '--requirement-tags'], {}, { requirementTags: true }],
  [
    'help, even if the environment is invalid',
    ['serve', '--help'],
    { TRACEGATE_LOG_LEVEL: 'loud' },
    { command: 'help' },
  ],
])('%s', (_, argv, env, expected) => {
  expect(readConfig(argv, env)).toMatchObject(expected)
})

test.each<[string[], Record<string, string>, string]>([
  [['gate'], { TRACEGATE_API_TOKEN: 't' }, 'TRACEGATE_API_TOKEN is set but TRACEGATE_BASE_URL is not: set both'],
  [['serve'], { TRACEGATE_API_TOKEN: 't' }, 'TRACEGATE_API_TOKEN is set but TRACEGATE_BASE_URL is not: set both'],
  [
    ['gate'],
    { TRACEGATE_BASE_URL: 'https://q.example' },
    'TRACEGATE_BASE_URL is set but TRACEGATE_API_TOKEN is not: set both',
  ],
  [[], { ...deployment, TRACEGATE_API_TOKEN: 'a b' }, 'TRACEGATE_API_TOKEN: a token contains no spaces'],
  [[], { ...deployment, TRACEGATE_BASE_URL: 'quality.example' }, 'TRACEGATE_BASE_URL: use a full URL'],
  [[], { ...deployment, TRACEGATE_BASE_URL: 'ftp://q.example' }, 'TRACEGATE_BASE_URL: use a full URL'],
  [[], { ...deployment, TRACEGATE_BASE_URL: 'http://q.example' }, 'TRACEGATE_BASE_URL: use https://'],
  [[], { ...deployment, TRACEGATE_BASE_URL: 'http://127.0.0.1.q.example' }, 'TRACEGATE_BASE_URL: use https://'],
  [[], { ...deployment, TRACEGATE_BASE_URL: 'https://q.example/v1/' }, 'remove /v1: https://q.example'],
  [[], { ...deployment, TRACEGATE_BASE_URL: 'https://u:p@q.example' }, 'remove user name'],
  [[], { ...deployment, TRACEGATE_BASE_URL: 'https://:p@q.example' }, 'remove user name'],
  [[], { TRACEGATE_READ_ONLY: 'maybe' }, 'TRACEGATE_READ_ONLY: use true or false'],
  [[], { TRACEGATE_DATABASE_URL: 'mysql://h' }, 'TRACEGATE_DATABASE_URL: use postgres://'],
  [
    [],
    { TRACEGATE_ALLOWED_HOSTS: 'https://a.example/tracegate/' },
    'has a path: Tracegate needs a host name or a port of its own',
  ],
  [[], { TRACEGATE_ALLOWED_HOSTS: 'https://:p@a.example' }, '"https://:p@a.example" is neither a host name'],
  [[], { TRACEGATE_ALLOWED_HOSTS: 'a/b' }, 'TRACEGATE_ALLOWED_HOSTS: "a/b" is neither a host name'],
  [[], { TRACEGATE_LOG_LEVEL: 'loud' }, 'TRACEGATE_LOG_LEVEL: use one of fatal, error'],
  [[], { TRACEGATE_SECRET: 'short' }, 'TRACEGATE_SECRET: use at least 32 characters'],
  [[], { TRACEGATE_TOOLSETS: 'default,foo' }, 'TRACEGATE_TOOLSETS: unknown "foo"; use default, '],
  [['--toolsets', '7'], {}, '--toolsets: unknown "7"; use default, '],
  [['serve', '--port', 'http'], {}, '--port: use a number'],
  [['serve', '--port', '70000'], {}, '--port: a port is at most 65535'],
  [['serve', '--host', '0.0.0.0'], {}, 'set TRACEGATE_ALLOWED_HOSTS'],
  [['serve', '--host', ''], {}, '--host: use an address of this machine, such as 127.0.0.1'],
  [['serve', '--sample'], { TRACEGATE_BASE_URL: 'https://q.example' }, '--sample fills the embedded service'],
  [['stdio', '--port', '1'], {}, 'stdio has no flag --port'],
  [['serve', 'now'], {}, 'serve does not accept "now"'],
  [['sourcemaps', 'delete', 'dist'], {}, 'sourcemaps has one action: tracegate sourcemaps upload DIR --release V'],
  [['sourcemaps', 'upload'], {}, 'sourcemaps upload: name the folder'],
  [['sourcemaps', 'upload', 'a', 'b', '--release', '1'], {}, 'accepts one folder; got "b" too'],
  [['sourcemaps', 'upload', 'dist'], {}, '--release: name the version'],
  [['sourcemaps', 'upload', 'dist', '--release', ' '], {}, '--release: use a version'],
  [['sourcemaps', 'upload', 'dist', '--release', 'a\nb'], {}, '--release: no line breaks or other control characters'],
  [['sourcemaps', 'upload', 'dist', '--release', '1', '--url-prefix', `${homedir()}/`], {}, '--url-prefix: the shell'],
  [['sourcemaps', 'upload', 'dist', '--release', '1', '--read-only'], {}, 'forbids sourcemaps upload'],
  [['stdio', '--release', '1'], {}, 'stdio has no flag --release'],
  [['report'], {}, 'report needs a file: tracegate report '],
  [['report', 'a', '--url', 'ci.example/7'], {}, '--url: use the full URL of the run'],
  [['report', 'a', '--url', 'javascript:x'], {}, '--url: use the full URL of the run'],
  [['report', 'a', '--commit', 'main'], {}, '--commit: use the hash of the tested commit'],
  [['report', 'a', '--environment', ''], {}, '--environment: use a name'],
  [['report', 'a', '--branch', 'x'.repeat(251)], {}, '--branch: at most 250 characters'],
  [['report', 'a', '--run-key', ' '], {}, '--run-key: use a name that all reports'],
  [['report', 'a', '--root', ''], {}, '--root: use the folder'],
  [['report', 'a', '--requirement-tags', '--no-requirement-tags'], {}, 'pass only one of them'],
  [['report', 'a', '--read-only'], {}, 'TRACEGATE_READ_ONLY forbids report'],
  [['report', 'a', '--dist', '1'], {}, 'report has no flag --dist'],
  [['serve', '--commit', '0123abc'], {}, 'serve has no flag --commit'],
  [['server'], {}, 'unknown command "server"; use stdio, serve'],
  [['--nope'], {}, "Unknown option '--nope'"],
  [['--data'], {}, "Option '--data <value>' argument missing"],
])('%j with %j is refused, naming the setting and the fix', (argv, env, sentence) => {
  expect(() => readConfig(argv, env)).toThrow(ConfigError)
  expect(() => readConfig(argv, env)).toThrow(sentence)
})

test('every setting is a flag as well, which wins over the variable', () => {
  const given: Record<string, string> = {
    TRACEGATE_BASE_URL: 'https://q.example',
    TRACEGATE_API_TOKEN: 'tg_x',
    TRACEGATE_PRODUCT: '2',
    TRACEGATE_TOOLSETS: 'all',
    TRACEGATE_READ_ONLY: 'true',
    TRACEGATE_CONFIRM: 'page',
    TRACEGATE_DATA_DIR: '/d',
    TRACEGATE_DATABASE_URL: 'postgres://h/db',
    TRACEGATE_DATABASE_LISTEN_URL: 'postgres://h/db',
    TRACEGATE_ALLOWED_HOSTS: 'a.example',
    TRACEGATE_ROOTS: '/r',
    TRACEGATE_NEW_ISSUES_PER_HOUR: '7',
    TRACEGATE_LOG_LEVEL: 'debug',
    TRACEGATE_METRICS_TOKEN: 'm'.repeat(16),
    TRACEGATE_SECRET: 's'.repeat(32),
  }
  expect(Object.keys(given).toSorted()).toEqual(Object.keys(Environment.shape).toSorted())
  const flags = Object.entries(flagVariables).map(([flag, variable]) => `--${flag}=${given[variable] ?? ''}`)
  expect(readConfig(flags, { TRACEGATE_LOG_LEVEL: 'info', TRACEGATE_PRODUCT: '1' })).toEqual(readConfig([], given))
  const readme = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8')
  expect(
    Object.entries(flagVariables).filter(([flag, name]) => !readme.includes(`\`${name}\` (\`--${flag}\`)`)),
  ).toEqual([])
})

test.each([
  [[], { TRACEGATE_PRODUCT: '${user_config.product}' }, 'TRACEGATE_PRODUCT'],
  [[], { TRACEGATE_DATA_DIR: '${HOME}/data' }, 'TRACEGATE_DATA_DIR'],
  [[], { TRACEGATE_API_TOKEN: ' ${input:token} ' }, 'TRACEGATE_API_TOKEN'],
  [['--product', '${user_config.product}'], {}, '--product'],
  [['--read-only=${user_config.read_only}'], {}, '--read-only'],
])('a setting that is still a reference counts as unset and is named: %j with %j', (argv, env, name) => {
  expect(readConfig(argv, env)).toEqual({ ...readConfig([], {}), unresolved: [name] })
})

test('an empty flag counts as unset, so that the variable holds', () => {
  expect(readConfig(['--product=', '--read-only='], { TRACEGATE_PRODUCT: '1' })).toMatchObject({
    product: '1',
    readOnly: false,
    unresolved: [],
  })
  expect(readConfig(['--read-only=false'], { TRACEGATE_READ_ONLY: 'true' })).toMatchObject({ readOnly: false })
  expect(() => readConfig(['--read-only=maybe'], {})).toThrow('--read-only: use true or false')
})

test('all mistakes in the environment are reported together, one line each', () => {
  const env = { TRACEGATE_READ_ONLY: 'x', TRACEGATE_LOG_LEVEL: 'y', TRACEGATE_SECRET: 'z' }
  expect(() => readConfig([], env)).toThrow(
    /^TRACEGATE_READ_ONLY: .*\nTRACEGATE_LOG_LEVEL: .*\nTRACEGATE_SECRET: [^\n]*$/,
  )
})

test('an error about a token does not contain the token', () => {
  expect(() => readConfig([], { ...deployment, TRACEGATE_API_TOKEN: 'tg secret' })).toThrow(/^(?!.*secret)/)
})
