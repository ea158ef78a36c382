import { isLiteral } from '../../../workspace/components/glob.ts'
import type { RequirementFacts, TestFacts } from './facts.ts'

/** Folders that say what kind of file is in them, not what it is about. */
const kinds = new Set(
  `src lib app apps packages source main java kotlin python ruby
  test tests __tests__ spec specs e2e it integration unit acceptance`.split(/\s+/u),
)

interface FileSubject {
  /** The last folder that says what the file is about; empty for none. */
  folder: string
  /** Without what makes it a test, and without its extension. */
  name: string
}

/** What a file is about: `test/shipping/rates.test.ts` and `src/shipping/rates.ts` are about the same. */
export function readFileSubject(path: string): FileSubject {
  const segments = path.split('/')
  const name = segments
    .pop()!
    .replace(/\.[^.]*$/u, '')
    .replace(/[._-](?:tests?|spec|it|e2e)$/iu, '')
    .replace(/^(?:test|spec)[._-]/iu, '')
    .replace(/(?<=\p{Ll})(?:Tests?|Spec|IT)$/u, '')
  return { folder: segments.findLast((segment) => !kinds.has(segment.toLowerCase())) ?? '', name }
}

export interface PathMatch {
  /** From 0 to 1. */
  value: number
  /** What is in common; undefined for nothing. */
  because: 'file' | 'folder' | 'component' | undefined
  /** The code reference that is nearest to the test; empty for a component. */
  path: string
}

/**
 * How near the file of a test is to the code of a requirement: 1 when it is named after a code reference in a folder of the
 * same name, 0.7 when it is named after one elsewhere, 0.5 in a folder of that name, 0.3 in a component of the requirement.
 */
export function matchPaths(test: TestFacts, requirement: RequirementFacts): PathMatch {
  const own = readFileSubject(test.file)
  const matches = requirement.paths.map((path) => matchPath(own, path))
  const isShared = test.componentIds.some((id) => requirement.componentIds.includes(id))
  if (isShared) matches.push({ value: 0.3, because: 'component', path: '' })
  const none: PathMatch = { value: 0, because: undefined, path: '' }
  return matches.reduce((best, match) => (match.value > best.value ? match : best), none)
}

function matchPath(own: FileSubject, path: string): PathMatch {
  const code = readFileSubject(path)
  const isSameFolder = own.folder === code.folder
  const isSameName = own.name !== '' && isLiteral(path) && fold(own.name) === fold(code.name)
  if (isSameName) return { value: isSameFolder ? 1 : 0.7, because: 'file', path }
  return { value: isSameFolder && own.folder !== '' ? 0.5 : 0, because: 'folder', path }
}

/** `priceUpdate`, `price-update` and `price_update` are one name. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_.]/gu, '')
}
