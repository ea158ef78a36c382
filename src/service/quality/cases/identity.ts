import { hash } from 'node:crypto'

/** The code location of a case, as a report or a person gives it. */
export interface CaseLocation {
  file_path: string
  suite_path: readonly string[]
  name: string
  project: string
}

/**
 * The prefixes that are removed from the paths of a report: its own root folder and those of the product (contract
 * §4.2).
 */
export interface PathRoots {
  root_dir?: string | undefined
  root_path: string
  path_strip_prefixes: readonly string[]
}

/**
 * The path of a test file relative to the repository, with `/`: the same whether the report came from Windows, from
 * another folder or with a leading `./`. A relative `root_path` is part of the path, as in frames. A file outside the roots keeps
 * its path without the leading `/` or drive.
 */
export function repositoryPath(
  path: string,
  { root_dir: rootDir = '', root_path: rootPath, path_strip_prefixes: prefixes }: PathRoots,
): string {
  const plain = slashes(path)
  const roots = [rootDir, ...(/^(?:[\\/]|[a-z][\w+.-]*:)/i.test(rootPath) ? [rootPath] : []), ...prefixes]
    .map((root) => slashes(root).replace(/\/+$/, ''))
    .filter((root) => root !== '')
  const root = roots.toSorted((a, b) => b.length - a.length).find((one) => plain === one || plain.startsWith(`${one}/`))
  const relative = root === undefined ? plain : plain.slice(root.length)
  return relative
    .replace(/^[a-z]:(?=\/)/i, '')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
}

function slashes(path: string): string {
  return (
    path
      .trim()
      .replace(/^file:\/\/(?:\/(?=[a-z]:))?/i, '')
      .replaceAll('\\', '/')
      // Programs on Windows write the letter of a drive in either case.
      .replace(/^[a-z]:(?=\/|$)/, (drive) => drive.toUpperCase())
  )
}

/** A digest of the location: the same case has the same one in every report, whatever the reporter (contract §4.2). */
export function caseIdentity({ file_path, suite_path, name, project }: CaseLocation): string {
  const place = [file_path, suite_path.map((suite) => suite.trim()).join(' > '), name.trim(), project.trim()].join('\n')
  return hash('sha256', place, 'hex')
}
