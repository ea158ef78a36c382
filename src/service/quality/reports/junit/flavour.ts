import type { JunitCase, JunitDocument, JunitSuite } from './read.ts'

/** Writers of JUnit XML that use attributes in their own way; `other` is read as contract §4.2 says. */
export type Flavour =
  | 'vitest'
  | 'jest'
  | 'playwright'
  | 'node:test'
  | 'mocha'
  | 'pytest'
  | 'surefire'
  | 'go'
  | 'dotnet'
  | 'phpunit'
  | 'googletest'
  | 'nextest'
  | 'other'

const SUREFIRE = /surefire-test-report/u
// Attribute names in the order in which each writer puts them; the order identifies the writer.
const NODE_SUITE = /^name,time,disabled,errors,tests,failures,skipped,timestamp,hostname$/u
const NODE_CASE = /^name,time,classname(?:,file)?(?:,failure)?$/u
const PLAYWRIGHT_SUITE = /^name,timestamp,hostname,tests,failures,skipped,time,errors$/u
const JEST_SUITE = /^name,errors,failures,skipped,timestamp,time,tests$/u
const MOCHA_SUITE = /^name,timestamp,tests(?:,file)?,time,failures(?:,skipped)?$/u
const MOCHA_CASE = /^name,time,classname(?:,file)?$/u

/** Detects the tool that wrote a report, by marks that only this tool leaves. */
export function detectFlavour({ suites, cases }: JunitDocument): Flavour {
  const root = suites[0]
  const title = root?.attributes['name'] ?? ''
  const suite = suites.find(({ isRoot }) => !isRoot)
  const shape = keys(suite)
  if (title === 'vitest tests') return 'vitest'
  if (suite?.attributes['name'] === 'pytest' || title === 'pytest tests') return 'pytest'
  if (suites.some(({ attributes }) => Object.values(attributes).some((value) => SUREFIRE.test(value))))
    return 'surefire'
  if (suites.some(({ properties }) => properties.some(([name]) => name === 'go.version'))) return 'go'
  if (PLAYWRIGHT_SUITE.test(shape) && root?.isRoot === true) return 'playwright'
  if (isNode(root, shape, cases)) return 'node:test'
  if (title === 'jest tests' || JEST_SUITE.test(shape)) return 'jest'
  if (title === 'Mocha Tests' || (MOCHA_SUITE.test(shape) && cases.every((one) => MOCHA_CASE.test(keys(one))))) {
    return 'mocha'
  }
  if (title === 'nextest-run') return 'nextest'
  if (suite?.attributes['package']?.endsWith('.dll') === true) return 'dotnet'
  if (cases.length > 0 && cases.every(({ attributes }) => 'class' in attributes && 'assertions' in attributes)) {
    return 'phpunit'
  }
  return title === 'AllTests' && cases.some(({ attributes }) => 'result' in attributes) ? 'googletest' : 'other'
}

/** Only node:test puts cases into the root element and gives the root no attributes. */
function isNode(root: JunitSuite | undefined, shape: string, cases: readonly JunitCase[]): boolean {
  if (root?.isRoot !== true || Object.keys(root.attributes).length > 0) return false
  return NODE_SUITE.test(shape) || (shape === '' && cases.length > 0 && cases.every((one) => NODE_CASE.test(keys(one))))
}

function keys(holder: { attributes: Record<string, string> } | undefined): string {
  return Object.keys(holder?.attributes ?? {}).join(',')
}
