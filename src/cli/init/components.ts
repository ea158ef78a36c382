import { escapeGlob } from './codeowners.ts'

/** A folder of the repository that may be a component. */
export interface SuggestedFolder {
  name: string
  glob: string
}

/** Folders that hold the parts of a product, not a part. */
const CONTAINERS = new Set([
  'src',
  'lib',
  'libs',
  'packages',
  'apps',
  'services',
  'modules',
  'crates',
  'cmd',
  'internal',
  'pkg',
])
const MOST_COMPONENTS = 40

/**
 * The folders that a product consists of: those at the top of its sources, where a folder that only holds others
 * (`src`, `packages`, the folders of a Java package) is replaced by those. `containers` are further such folders, as the
 * workspaces of the package manager name them.
 */
export function suggestComponents(files: readonly string[], containers: readonly string[] = []): SuggestedFolder[] {
  const isContainer = (folder: string) => containers.includes(folder) || CONTAINERS.has(lastName(folder))
  const folders = parts({ folder: '', files, isContainer }).slice(0, MOST_COMPONENTS)
  const names = folders.map(({ folder }) => lastName(folder))
  return folders.map(({ folder, whole }, index) => ({
    name: names.filter((name) => name === names[index]).length > 1 ? folder : (names[index] ?? folder),
    glob: `${escapeGlob(folder)}/${whole ? '**' : '*'}`,
  }))
}

interface Part {
  folder: string
  /** False: only the files in the folder itself, because its folders are parts. */
  whole: boolean
}

interface Place {
  folder: string
  /** All files below it. */
  files: readonly string[]
  isContainer: (folder: string) => boolean
  /** Whether the folder is all that its parent has. */
  isOnly?: boolean
}

function parts({ folder, files, isContainer, isOnly = true }: Place): Part[] {
  const start = folder === '' ? 0 : folder.length + 1
  const direct = files.some((file) => !file.includes('/', start))
  const nested = files.filter((file) => file.includes('/', start))
  const below = Map.groupBy(nested, (file) => file.slice(0, file.indexOf('/', start)))
  if (below.size === 0) return folder === '' ? [] : [{ folder, whole: true }]
  const isChain = !direct && (isOnly || below.size === 1)
  if (folder !== '' && !isContainer(folder) && !isChain) return [{ folder, whole: true }]
  const own = direct && folder !== '' ? [{ folder, whole: false }] : []
  const only = below.size === 1 && !direct
  const inside = [...below].flatMap(([child, found]) =>
    parts({ folder: child, files: found, isContainer, isOnly: only }),
  )
  return [...own, ...inside]
}

function lastName(folder: string): string {
  return folder.slice(folder.lastIndexOf('/') + 1)
}
