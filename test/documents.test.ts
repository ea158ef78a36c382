import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const find = (pattern: string) => globSync(pattern, { cwd: root }).toSorted()

/** The documents that code cites by section. */
const documents = {
  contract: 'src/contract/README.md',
  errors: 'src/service/errors/README.md',
  mcp: 'src/mcp/README.md',
  contributing: 'CONTRIBUTING.md',
} as const
type DocumentName = keyof typeof documents

const decisions = find('src/decisions/*.md')
const pages = [...Object.values(documents), ...decisions]
// This file plants citations that are not there.
const code = find('{src,tools,resources,prompts,test}/**/*.{ts,mjs,cjs,sql}').filter(
  (file) => !/(?:^|\/)(?:recordings|fixtures|corpus)\/|^test\/documents\.test\.ts$/.test(file),
)

interface Citation {
  document: DocumentName | 'decision'
  section: string
}

const NUMBERED = /\b(contract|errors|mcp) (§\d+(?:\.\d+)*(?:(?:,| and| or) §\d+(?:\.\d+)*)*)/g
const TITLED = /\bcontributing "([^"\n]{1,60})"/g
const DECIDED = /\bdecision (\d{3})\b/g

/** Comments and strings wrap: a citation may begin on one line and end on the next. */
function unwrapped(text: string): string {
  return text.replace(/\s*\n\s*(?:\*(?!\/)|\/\/|--)?\s*/g, ' ')
}

function citations(text: string): Citation[] {
  const flat = unwrapped(text)
  const numbered = [...flat.matchAll(NUMBERED)].flatMap(([, document, sections]) =>
    [...(sections ?? '').matchAll(/§([\d.]+\d|\d)/g)].map(([, section = '']) => ({
      document: document as DocumentName,
      section,
    })),
  )
  const titled = [...flat.matchAll(TITLED)].map(([, section = '']) => ({ document: 'contributing' as const, section }))
  const decided = [...flat.matchAll(DECIDED)].map(([, section = '']) => ({ document: 'decision' as const, section }))
  return [...numbered, ...titled, ...decided]
}

/** Numbers of numbered headings, titles of the others. */
function sectionsIn(page: string): Set<string> {
  const titles = [...read(page).matchAll(/^#{2,4} (.+)$/gm)].map(([, title = '']) => title)
  return new Set(titles.map((title) => /^(\d+(?:\.\d+)*) /.exec(title)?.[1] ?? title))
}

const sections: Record<Citation['document'], ReadonlySet<string>> = {
  contract: sectionsIn(documents.contract),
  errors: sectionsIn(documents.errors),
  mcp: sectionsIn(documents.mcp),
  contributing: sectionsIn(documents.contributing),
  decision: new Set(decisions.map((file) => /(\d{3})-/.exec(file)?.[1] ?? file)),
}

function unknownCitations(text: string): string[] {
  return citations(text)
    .filter(({ document, section }) => !sections[document].has(section))
    .map(({ document, section }) => `${document} ${section}`)
}

describe('citations', () => {
  test('every section and decision that code cites exists', () => {
    const missing = [...code, ...pages].flatMap((file) =>
      unknownCitations(read(file)).map((cited) => `${file}: ${cited}`),
    )
    expect(missing).toEqual([])
  })

  test('code cites these documents, in the one form', () => {
    const counts = code.reduce((sum, file) => sum + citations(read(file)).length, 0)
    expect(counts).toBeGreaterThan(200)
    // What is left after the known forms and RFCs are taken out cites nothing that could be found.
    const loose = code.flatMap((file) => {
      const rest = unwrapped(read(file))
        .replaceAll(NUMBERED, '')
        .replaceAll(/\b(?:RFC|ECMA)[ -]\d+ §[\d.]+/g, '')
      return [...rest.matchAll(/.{0,30}§.{0,10}/g)].map(([found]) => `${file}: ${found}`)
    })
    expect(loose).toEqual([])
  })

  test('a section that a page names in itself exists', () => {
    const missing = Object.entries(documents).flatMap(([name, page]) => {
      const rest = unwrapped(read(page)).replaceAll(NUMBERED, '')
      const own = [...rest.matchAll(/§(\d+(?:\.\d+)*)/g)].map(([, section = '']) => section)
      return own
        .filter((section) => !sections[name as DocumentName].has(section))
        .map((section) => `${page}: §${section}`)
    })
    expect(missing).toEqual([])
  })

  test('a citation of a section that is not there is found', () => {
    expect(unknownCitations('/** See contract\n * §99.1, and contract §0.4 */ // decision 999')).toEqual([
      'contract 99.1',
      'decision 999',
    ])
    expect(unknownCitations('contributing "No such heading", errors §1.1 and §1.99')).toEqual([
      'errors 1.99',
      'contributing No such heading',
    ])
  })
})

const PATH = /^(?:src|tools|resources|prompts|test|\.ci)(?:\/[\w.@-]+)+\/?$/
/** Methods of the protocol look like paths. */
const METHOD = /^(?:tools|resources|prompts)\/(?:list|call|read|get)$/

/** Names of files and folders in back ticks, from the root of the repository. */
function pathsIn(page: string): string[] {
  return read(page)
    .split('\n')
    .flatMap((line) => {
      const names = [...line.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
      const paths = names.filter((name) => PATH.test(name) && !METHOD.test(name))
      const folder = paths.map((path) => (/\.\w+$/.test(path) ? dirname(path) : path)).at(0)
      // In a table, a bare name is in the same folder as the path before it.
      const bare = line.startsWith('|') && folder !== undefined ? names.filter((name) => /^[\w-]+\.ts$/.test(name)) : []
      return [...paths, ...bare.map((name) => `${folder ?? ''}/${name}`)]
    })
}

describe('paths', () => {
  test.each(pages)('every path that %s names exists', (page) => {
    expect(pathsIn(page).filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('every link of README.md into the repository leads somewhere', () => {
    const links = [...read('README.md').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path)
    expect(links.length).toBeGreaterThan(0)
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('decisions are numbered once', () => {
    const numbers = decisions.map((file) => /(\d{3})-/.exec(file)?.[1])
    expect(new Set(numbers).size).toBe(decisions.length)
  })
})
