/** A language with what the service has to know of its tests, and how its Sentry SDK is started. */
export interface Language {
  name: string
  extensions: readonly string[]
  testGlobs: readonly string[]
  /** Lines to paste; `dsn` is a whole DSN. */
  start(dsn: string): string[]
}

/** The languages that `init` knows; what starts the SDK is from the documentation of each SDK. */
export const languages: readonly Language[] = [
  {
    name: 'JavaScript and TypeScript',
    extensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'vue', 'svelte'],
    testGlobs: ['**/*.{test,spec}.*'],
    start: (dsn) => [
      "import * as Sentry from '@sentry/node' // in a browser: @sentry/browser",
      `Sentry.init({ dsn: '${dsn}', release: VERSION, environment: 'production' })`,
    ],
  },
  {
    name: 'Python',
    extensions: ['py'],
    testGlobs: ['**/test_*.py', '**/*_test.py'],
    start: (dsn) => ['import sentry_sdk', `sentry_sdk.init(dsn="${dsn}", release=VERSION, environment="production")`],
  },
  {
    name: 'Go',
    extensions: ['go'],
    testGlobs: ['**/*_test.go'],
    start: (dsn) => [
      'import "github.com/getsentry/sentry-go"',
      `sentry.Init(sentry.ClientOptions{Dsn: "${dsn}", Release: version, Environment: "production"})`,
    ],
  },
  {
    name: 'Java and Kotlin',
    extensions: ['java', 'kt'],
    testGlobs: ['**/src/test/**'],
    start: (dsn) => [
      `Sentry.init(options -> { options.setDsn("${dsn}"); options.setRelease(version); options.setEnvironment("production"); });`,
    ],
  },
  {
    name: 'C#',
    extensions: ['cs'],
    testGlobs: ['**/*Tests.cs'],
    start: (dsn) => [
      `SentrySdk.Init(options => { options.Dsn = "${dsn}"; options.Release = version; options.Environment = "production"; });`,
    ],
  },
  {
    name: 'Ruby',
    extensions: ['rb'],
    testGlobs: ['spec/**/*_spec.rb', 'test/**/*_test.rb'],
    start: (dsn) => [
      `Sentry.init { |config| config.dsn = '${dsn}'; config.release = VERSION; config.environment = 'production' }`,
    ],
  },
  {
    name: 'PHP',
    extensions: ['php'],
    testGlobs: ['tests/**/*Test.php'],
    start: (dsn) => [`\\Sentry\\init(['dsn' => '${dsn}', 'release' => $version, 'environment' => 'production']);`],
  },
  {
    name: 'Rust',
    extensions: ['rs'],
    testGlobs: ['tests/**/*.rs'],
    start: (dsn) => [
      `let _guard = sentry::init(("${dsn}", sentry::ClientOptions { release: sentry::release_name!(), ..Default::default() }));`,
    ],
  },
]
