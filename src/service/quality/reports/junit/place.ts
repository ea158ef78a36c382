import { LOAD_ERROR } from '../model/synthetic.ts'
import { slashed } from '../../../../lib/files/slashed.ts'
import type { Flavour } from './flavour.ts'
import type { JunitCase, JunitSuite } from './read.ts'

/** The location of a case, as the tool that wrote it means it (contract §4.2). */
export interface JunitLocation {
  file_path: string
  suite_path: string[]
  name: string
  project: string
}

/** The attributes that name a case, as every flavour sees them. */
interface CaseNaming {
  name: string
  className: string
  /** Attribute of the case, or else of a suite around it. */
  file: string
  suite: JunitSuite
  message: string
}

type Locator = (said: CaseNaming) => Omit<JunitLocation, 'project'> & { project?: string }

const locators: Record<Flavour, Locator> = {
  vitest: ({ name, className }) =>
    name === className ? loadError(className) : { file_path: className, ...split(name, ' > ') },
  jest,
  playwright({ name, className, suite }) {
    const project = suite.attributes['hostname'] ?? ''
    const mark = `[${project}] `
    const plain = name.startsWith(mark) ? name.slice(mark.length) : name
    return { file_path: className, ...split(plain, ' › '), project }
  },
  'node:test': ({ name, file, suite }) =>
    // A failed process of a test file is reported under the name of the file.
    suite.isRoot && isPath(name) && slashed(file).endsWith(name)
      ? loadError(file)
      : { file_path: file, suite_path: titles(suite).map(unquoted), name: unquoted(name) },
  mocha,
  pytest,
  // The class is all that Surefire reports of the file: its path without the extension, which is unknown.
  surefire: (said) => ({
    ...other(said),
    file_path: said.file || said.className.replace(/\$.*/u, '').replaceAll('.', '/'),
  }),
  go: other,
  // Some adapters write the fully qualified name of a test where others write only its method.
  dotnet: ({ name, className, file }) => ({
    file_path: file,
    suite_path: className === '' ? [] : [className],
    name: name.startsWith(`${className}.`) ? name.slice(className.length + 1) : name,
  }),
  phpunit: other,
  googletest: other,
  nextest: other,
  other,
}

/** The location of a case; its name is '' when the report gives neither a name nor a class. */
export function locateCase(flavour: Flavour, { attributes, suite, outcome }: JunitCase): JunitLocation {
  const said = {
    name: attributes['name']?.trim() ?? '',
    className: attributes['classname']?.trim() ?? attributes['class']?.trim() ?? '',
    file: attributes['file'] ?? attributes['filepath'] ?? suiteFile(suite),
    suite,
    message: outcome.message,
  }
  const place = locators[flavour](said)
  return {
    project: '',
    ...place,
    file_path: slashed(place.file_path),
    // The setup of a class failed: Surefire names the class but no case.
    name: place.name || said.className,
  }
}

/** The place of a suite that failed outside of its cases, as near to theirs as its name tells. */
export function locateSuite(flavour: Flavour, suite: JunitSuite): Omit<JunitLocation, 'name'> {
  const name = suite.attributes['name']?.trim() ?? ''
  const project = flavour === 'playwright' ? (suite.attributes['hostname'] ?? '') : ''
  const file = suiteFile(suite) || (isPath(name) ? name : '')
  if (flavour === 'surefire' && !suite.isRoot) {
    return { file_path: file || name.replace(/\$.*/u, '').replaceAll('.', '/'), suite_path: [name], project }
  }
  // The suite of pytest is the run, that of .NET the assembly.
  const isNamed = flavour !== 'pytest' && flavour !== 'dotnet'
  const suite_path = isNamed ? titles(suite).filter((title) => title !== file) : []
  return { file_path: slashed(file), suite_path, project }
}

function other({ name, className, file, suite }: CaseNaming): Omit<JunitLocation, 'project'> {
  const isOwn = className !== '' && className !== name && className !== file
  return { file_path: file, suite_path: isOwn ? [className] : titles(suite).filter((title) => title !== file), name }
}

/** The templates of jest-junit can put titles, class names and paths almost anywhere. */
function jest({ name, className, file, suite }: CaseNaming): Omit<JunitLocation, 'project'> {
  const title = suite.attributes['name'] ?? ''
  const path = file || (isPath(title) ? title : '')
  if (className === 'Test suite failed to run') return loadError(path || name)
  const isTitle = className === '' || className === name
  return { file_path: path, suite_path: isTitle ? [] : className.split(' › ').map((part) => part.trim()), name }
}

/**
 * mocha-junit-reporter puts the whole title into either the name or the class name, and its last part into the other.
 */
function mocha({ name, className, file }: CaseNaming): Omit<JunitLocation, 'project'> {
  const [whole, last] = name.length < className.length ? [className, name] : [name, className]
  if (whole === last || last === '') return { file_path: file, suite_path: [], name: whole }
  if (whole.endsWith(` ${last}`)) {
    return { file_path: file, suite_path: [whole.slice(0, -last.length - 1)], name: last }
  }
  return { file_path: file, suite_path: className === '' ? [] : [className], name }
}

/**
 * The class name of pytest is the module followed by the classes in it: `tests.test_cart.TestCart`. By PEP 8 classes
 * start with a capital and modules do not; with `junit_family=xunit1` the file is reported too and shows where the
 * module ends.
 */
function pytest({ name, className, file, message }: CaseNaming): Omit<JunitLocation, 'project'> {
  if (className === '' && message === 'collection failure') return loadError(file || modulePath(name.split('.')))
  const parts = className.split('.')
  const module = file.replace(/\.py$/u, '').replaceAll('/', '.')
  const isModule = module !== '' && (className === module || className.startsWith(`${module}.`))
  const firstClass = parts.findIndex((part) => /^_*[A-Z]/u.test(part))
  const depth = isModule ? module.split('.').length : firstClass === -1 ? parts.length : firstClass
  return { file_path: file || modulePath(parts.slice(0, depth)), suite_path: parts.slice(depth), name }
}

function modulePath(parts: readonly string[]): string {
  return parts.join('') === '' ? '' : `${parts.join('/')}.py`
}

function split(title: string, separator: string): { suite_path: string[]; name: string } {
  const parts = title.split(separator)
  return { suite_path: parts.slice(0, -1), name: parts.at(-1) ?? title }
}

function loadError(file_path: string): Omit<JunitLocation, 'project'> {
  return { file_path, suite_path: [], name: LOAD_ERROR }
}

/** The names of the suites around a case, outermost first, without the root. */
function titles(suite: JunitSuite | undefined): string[] {
  if (suite === undefined || suite.isRoot) return []
  const title = suite.attributes['name']?.trim() ?? ''
  return [...titles(suite.parent), ...(title === '' ? [] : [title])]
}

function suiteFile(suite: JunitSuite | undefined): string {
  if (suite === undefined) return ''
  return suite.attributes['file'] ?? suite.attributes['filepath'] ?? suiteFile(suite.parent)
}

function isPath(text: string): boolean {
  return /^[^\s<>]+\.[cm]?[jt]sx?$/u.test(text)
}

/** node:test escapes a quote twice. */
function unquoted(text: string): string {
  return text.replaceAll('&quot;', '"')
}
