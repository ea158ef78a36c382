import { parseCodeOwners } from './codeowners.ts'
import { suggestComponents } from './components.ts'
import { findGit, readInside, type GitRepository } from './git-folder.ts'
import type { Language } from './languages.ts'
import { readName, readPackages, readVersion, workspaceFolders, type ManifestVersion } from './manifest.ts'
import { assignOwners, type SuggestedComponent } from './owned-components.ts'
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
  /** The source files, by their paths in the repository. */
  files: readonly string[]
  /** Whether the folder is a part of a repository, which may have other products. */
  isPart: boolean
  /** The file that names owners, with the numbers of its lines that could not be used. */
  codeOwners?: { file: string; unread: readonly number[] }
  /** Names of packages that the manifest depends on. */
  packages: ReadonlySet<string>
  /** Undefined where no manifest names a version. */
  manifest: ManifestVersion | undefined
}

/** Reads the facts from the files in a folder, without running anything in it. */
export function readRepository(folder: string): RepositoryFacts {
  const git = findGit(folder)
  const root = git?.root ?? folder
  const prefix = git === undefined || git.below === '' ? '' : `${git.below}/`
  const { files: found, languages } = readSourceTree(folder)
  const files = found.map((file) => prefix + file)
  const folders = suggestComponents(found, workspaceFolders(folder)).map(({ name, glob }) => ({
    name,
    glob: prefix + glob,
  }))
  const owners = readCodeOwners(root)
  return {
    name: readName(folder),
    url: remoteUrl(git?.config ?? ''),
    defaultBranch: defaultBranch(git),
    testGlobs: languages.flatMap(({ testGlobs }) => testGlobs),
    components: assignOwners(folders, files, owners?.rules ?? []),
    languages,
    files,
    isPart: prefix !== '',
    ...(owners !== undefined && { codeOwners: { file: owners.file, unread: owners.unread } }),
    packages: readPackages(folder),
    manifest: readVersion(folder),
  }
}

/** Where GitHub and GitLab look for the file, the first that exists counts. */
const CODEOWNERS = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS']

function readCodeOwners(root: string) {
  for (const file of CODEOWNERS) {
    const text = readInside(root, file)
    if (text !== '') return { file, ...parseCodeOwners(text) }
  }
  return undefined
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
function defaultBranch(git: GitRepository | undefined): string {
  // A bare clone has no branches of the remote: its own are a copy of them.
  const cloned = /^ref: refs\/heads\/(\S+)$/m.exec(git?.bareHead ?? '')?.[1]
  if (cloned !== undefined) return cloned
  const remote = /^ref: refs\/remotes\/origin\/(\S+)$/m.exec(git?.read('refs/remotes/origin/HEAD') ?? '')?.[1]
  return remote ?? /^ref: refs\/heads\/(main|master|trunk)$/m.exec(git?.read('HEAD') ?? '')?.[1] ?? ''
}
