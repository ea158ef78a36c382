import { opendirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { languages, type Language } from './languages.ts'

/** Entries of folders that are read at most: the components of a huge repository come from its beginning. */
const MOST_ENTRIES = 50_000
const DEEPEST = 12
/** Folders without the product's own code, besides hidden ones. */
const SKIPPED = new Set(
  [
    'node_modules bower_components vendor third_party dist build out target bin obj coverage generated venv env',
    'site-packages __pycache__ __tests__ __mocks__ test tests testing testdata spec specs e2e cypress fixtures mocks',
    'docs doc examples example samples scripts tools public static assets',
  ].flatMap((names) => names.split(' ')),
)
/** Names of test files that lie next to the code. */
const TEST = /(?:^test_|_test\.|\.test\.|\.spec\.|Tests?\.\w+$)/

export interface SourceTree {
  /** Source files, relative to the folder, with `/`. */
  files: readonly string[]
  /** The languages of the files, the most frequent first. */
  languages: readonly Language[]
}

/** The source files of a repository without its tests, dependencies and build output; links are not followed. */
export function readSourceTree(root: string): SourceTree {
  const files = walk(root)
  const counts = Map.groupBy(files, languageAt)
  const found = languages.filter((language) => counts.has(language))
  return {
    files,
    languages: found.toSorted((left, right) => (counts.get(right)?.length ?? 0) - (counts.get(left)?.length ?? 0)),
  }
}

function walk(root: string): string[] {
  const files: string[] = []
  let folders = ['']
  let entries = 0
  for (let depth = 0; depth < DEEPEST && folders.length > 0; depth += 1) {
    const below: string[] = []
    for (const folder of folders) {
      for (const entry of list(join(root, folder))) {
        if ((entries += 1) > MOST_ENTRIES) return files
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name)) below.push(path)
        if (entry.isFile() && !TEST.test(entry.name) && languageAt(path) !== undefined) files.push(path)
      }
    }
    folders = below
  }
  return files
}

/** The entries of a folder by name; none where it cannot be read. */
function list(folder: string): Dirent[] {
  const entries: Dirent[] = []
  try {
    using opened = opendirSync(folder)
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      entries.push(entry)
      if (entries.length > MOST_ENTRIES) break
    }
  } catch {
    return []
  }
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))
}

function languageAt(path: string): Language | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? ''
  return languages.find(({ extensions }) => extensions.includes(extension))
}
