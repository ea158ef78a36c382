import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isObject } from '../../lib/objects.ts'
import { suggestComponents, type SuggestedComponent } from './components.ts'
import type { Language } from './languages.ts'
import { readSourceTree } from './source-tree.ts'

/** What a repository says of the product in it. */
export interface RepositoryFacts {
  name: string
  /** Empty where the repository has no remote. */
  url: string
  /** Empty where it is not known. */
  defaultBranch: string
  testGlobs: readonly string[]
  components: readonly SuggestedComponent[]
  languages: readonly Language[]
}

/** Reads the facts from the files in a folder, without running anything in it. */
export function readRepository(root: string): RepositoryFacts {
  const { files, languages } = readSourceTree(root)
  return {
    name: readName(root),
    url: remoteUrl(read(root, '.git/config')),
    defaultBranch: defaultBranch(root),
    testGlobs: languages.flatMap(({ testGlobs }) => testGlobs),
    components: suggestComponents(files, workspaceFolders(root)),
    languages,
  }
}

/** The name in the package's manifest, else that of the folder. */
function readName(root: string): string {
  const named = [
    packageJson(root)['name'],
    /^\[(?:project|tool\.poetry)\][^[]*?^name\s*=\s*["']([^"'\n]+)["']/ms.exec(read(root, 'pyproject.toml'))?.[1],
    /^module\s+(\S+?)(?:\/v\d+)?$/m.exec(read(root, 'go.mod'))?.[1],
    /^\[package\][^[]*?^name\s*=\s*"([^"\n]+)"/ms.exec(read(root, 'Cargo.toml'))?.[1],
  ].find((name) => typeof name === 'string' && name.trim() !== '')
  return basename(typeof named === 'string' ? named : root).slice(0, 80)
}

/** The address of the remote `origin` for a browser, without credentials; empty if there is none. */
export function remoteUrl(config: string): string {
  const written = /^\[remote "origin"\][^[]*?^\s*url\s*=\s*(\S+)\s*$/ms.exec(config)?.[1] ?? ''
  const [, host, path] = /^(?:ssh:\/\/)?(?:[\w.-]+@)([\w.-]+)(?::\d+\/|[:/])(.+)$/.exec(written) ?? []
  const url = URL.parse(host === undefined ? written : `https://${host}/${path ?? ''}`)
  if (url === null || !/^https?:$/.test(url.protocol)) return ''
  return `${url.origin}${url.pathname.replace(/\.git$|\/$/, '')}`
}

/** The remote's default branch, else a checked-out branch with the usual name. */
function defaultBranch(root: string): string {
  const remote = /^ref: refs\/remotes\/origin\/(\S+)$/m.exec(read(root, '.git/refs/remotes/origin/HEAD'))?.[1]
  return remote ?? /^ref: refs\/heads\/(main|master|trunk)$/m.exec(read(root, '.git/HEAD'))?.[1] ?? ''
}

/** Folders whose subfolders are packages: `plugins` for the workspaces `plugins/*`. */
function workspaceFolders(root: string): string[] {
  const { workspaces } = packageJson(root)
  const texts = [JSON.stringify(workspaces ?? ''), read(root, 'pnpm-workspace.yaml'), read(root, 'pyproject.toml')]
  return texts.flatMap((text) =>
    [...text.matchAll(/["'\s]([\w.-]+(?:\/[\w.-]+)*)\/\*["'\s]/g)].map(([, folder = '']) => folder),
  )
}

function packageJson(root: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(read(root, 'package.json'))
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

/** The beginning of a text file; empty if there is none. */
function read(root: string, name: string): string {
  try {
    return readFileSync(join(root, name), 'utf8').slice(0, 1_000_000)
  } catch {
    return ''
  }
}
