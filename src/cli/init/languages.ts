/** A language with what the service has to know of its tests, and how its Sentry SDK and its tests are set up. */
export interface Language {
  name: string
  extensions: readonly string[]
  /** Whether browsers run it too. */
  inPages?: true
  testGlobs: readonly string[]
  /** The command that adds the SDK. */
  install: string
  /** Lines to paste. Each of these SDKs reads SENTRY_DSN, SENTRY_RELEASE and SENTRY_ENVIRONMENT itself. */
  start: readonly string[]
  /** Commands that run the tests and write a report into the folder `reports`, by the package that brings the runner. */
  tests: Readonly<Record<string, string>>
}

/** The runner where no package names one. */
export const ANY = ''

/** The languages that `init` knows; what starts the SDK is from the documentation of each SDK. */
export const languages: readonly Language[] = [
  {
    name: 'JavaScript and TypeScript',
    extensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'vue', 'svelte'],
    inPages: true,
    testGlobs: ['**/*.{test,spec}.*'],
    install: 'npm install @sentry/node',
    start: [
      '// instrument.mjs, because all imports of a file run before its code; start with: node --import ./instrument.mjs …',
      "import * as Sentry from '@sentry/node'",
      'Sentry.init()',
      '// wherever the application itself catches an error, such as to answer 500: Sentry.captureException(error)',
    ],
    tests: {
      vitest: 'npx vitest run --reporter=default --reporter=json --outputFile.json=reports/vitest.json',
      jest: 'npx jest --json --outputFile=reports/jest.json',
      '@playwright/test':
        'PLAYWRIGHT_JSON_OUTPUT_NAME=reports/playwright.json npx playwright test --reporter=list,json',
      [ANY]: 'mkdir -p reports && node --test --test-reporter=junit --test-reporter-destination=reports/junit.xml',
    },
  },
  {
    name: 'Python',
    extensions: ['py'],
    testGlobs: ['**/test_*.py', '**/*_test.py'],
    install: 'pip install sentry-sdk',
    start: [
      '# before the application is made, such as before Flask(__name__)',
      'import sentry_sdk',
      'sentry_sdk.init()',
      '# wherever the application itself catches an error, such as to answer 500: sentry_sdk.capture_exception(error)',
    ],
    tests: { [ANY]: 'pytest -o junit_family=xunit1 --junitxml=reports/pytest.xml' },
  },
  {
    name: 'Go',
    extensions: ['go'],
    testGlobs: ['**/*_test.go'],
    install: 'go get github.com/getsentry/sentry-go',
    start: ['import "github.com/getsentry/sentry-go"', 'sentry.Init(sentry.ClientOptions{})'],
    tests: { [ANY]: 'mkdir -p reports && go test -json ./... > reports/go.json' },
  },
  {
    name: 'Java and Kotlin',
    extensions: ['java', 'kt'],
    testGlobs: ['**/src/test/**'],
    install: 'add the dependency io.sentry:sentry',
    start: ['Sentry.init(options -> options.setEnableExternalConfiguration(true));'],
    tests: { [ANY]: 'mvn test   # its reports are in target/surefire-reports, those of Gradle in build/test-results' },
  },
  {
    name: 'C#',
    extensions: ['cs'],
    testGlobs: ['**/*Tests.cs'],
    install: 'dotnet add package Sentry',
    start: ['SentrySdk.Init(options => { });'],
    tests: { [ANY]: 'dotnet test --logger "trx;LogFileName=tests.trx" --results-directory reports' },
  },
  {
    name: 'Ruby',
    extensions: ['rb'],
    testGlobs: ['spec/**/*_spec.rb', 'test/**/*_test.rb'],
    install: 'bundle add sentry-ruby',
    start: ["require 'sentry-ruby'", 'Sentry.init'],
    tests: { [ANY]: 'bundle exec rspec --format RspecJunitFormatter --out reports/rspec.xml' },
  },
  {
    name: 'PHP',
    extensions: ['php'],
    testGlobs: ['tests/**/*Test.php'],
    install: 'composer require sentry/sentry',
    start: ['\\Sentry\\init();'],
    tests: { [ANY]: 'vendor/bin/phpunit --log-junit reports/phpunit.xml' },
  },
  {
    name: 'Rust',
    extensions: ['rs'],
    testGlobs: ['tests/**/*.rs'],
    install: 'cargo add sentry',
    start: ['let _guard = sentry::init(sentry::ClientOptions::default());'],
    tests: { [ANY]: 'cargo nextest run --profile ci   # with junit.path = "junit.xml" in .config/nextest.toml' },
  },
]
