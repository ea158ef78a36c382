import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

/** Larger files are read to here. CODEOWNERS has this limit on GitHub. */
const MOST_CHARACTERS = 3_000_000

/**
 * The beginning of a text file in a folder; empty if there is none. A link that leads out of the folder is not followed, because
 * whoever wrote the repository would choose what is read.
 */
export function readInside(root: string, name: string): string {
  try {
    const path = realpathSync(join(root, name))
    if (!path.startsWith(`${realpathSync(root)}${sep}`) || !statSync(path).isFile()) return ''
    return readFileSync(path, 'utf8').slice(0, MOST_CHARACTERS)
  } catch {
    return ''
  }
}

export interface GitRepository {
  /** The folder that the paths of the repository begin in. */
  root: string
  /** From there to the given folder, with `/`; empty if they are the same. */
  below: string
  /** The text of its `config`. */
  config: string
  /** The text of `HEAD` of a bare repository whose worktree the root is; empty where the repository has its own files. */
  bareHead: string
  /** The text of a file of the repository's own data, such as `HEAD`. */
  read(name: string): string
}

/** The repository that a folder is in: its own, or that of a folder above; undefined where there is none. */
export function findGit(folder: string): GitRepository | undefined {
  for (let root = folder; ; root = dirname(root)) {
    const place = lstatSync(join(root, '.git'), { throwIfNoEntry: false })
    if (place !== undefined) {
      const data = place.isFile() ? linkedFolder(root) : join(root, '.git')
      const shared = resolve(data, readInside(data, 'commondir').trim() || '.')
      const below = folder.slice(root.length).split(sep).filter(Boolean).join('/')
      const read = (name: string) => readInside(data, name) || readInside(shared, name)
      const config = readInside(shared, 'config')
      const bareHead = /^\s*bare\s*=\s*true\s*$/m.test(config) ? readInside(shared, 'HEAD') : ''
      return { root, below, config, bareHead, read }
    }
    if (dirname(root) === root) return undefined
  }
}

/** The folder that the file `.git` of a worktree or of a submodule names. */
function linkedFolder(root: string): string {
  const named = /^gitdir: (.+)$/m.exec(readInside(root, '.git'))?.[1]
  return named === undefined ? join(root, '.git') : resolve(root, named.trim())
}
