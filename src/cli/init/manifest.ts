import { basename } from 'node:path'
import { isObject } from '../../lib/objects.ts'
import { replaceControls } from '../../lib/text.ts'
import { readInside } from './git-folder.ts'

/** The version that a manifest names. */
export interface ManifestVersion {
  version: string
  /** The name of the manifest. */
  file: string
}

/** The name in the manifest of the package, else that of the folder. */
export function readName(folder: string): string {
  const named = [
    packageJson(folder)['name'],
    inPyproject(folder, 'name'),
    /^module\s+(\S+?)(?:\/v\d+)?$/m.exec(readInside(folder, 'go.mod'))?.[1],
    inCargo(folder, 'name'),
  ].find((name) => typeof name === 'string' && basename(name).trim() !== '')
  const name = basename(typeof named === 'string' ? named : folder)
  return replaceControls(name, ' ').trim().slice(0, 80) || 'product'
}

/** The version in the manifest of the package; undefined where there is none, or one that nobody counts up. */
export function readVersion(folder: string): ManifestVersion | undefined {
  const found = [
    { file: 'package.json', version: packageJson(folder)['version'] },
    { file: 'pyproject.toml', version: inPyproject(folder, 'version') },
    { file: 'Cargo.toml', version: inCargo(folder, 'version') },
  ]
  for (const { file, version } of found) {
    if (typeof version === 'string' && /^[\w.+-]{1,100}$/.test(version) && !version.startsWith('0.0.0')) {
      return { file, version }
    }
  }
  return undefined
}

/** Names of packages that the manifest depends on. */
export function readPackages(folder: string): Set<string> {
  const manifest = packageJson(folder)
  const lists = [manifest['dependencies'], manifest['devDependencies']]
  return new Set(lists.flatMap((list) => (isObject(list) ? Object.keys(list) : [])))
}

/** Folders whose subfolders are packages: `plugins` for the workspaces `plugins/*`. */
export function workspaceFolders(folder: string): string[] {
  const { workspaces } = packageJson(folder)
  const texts = [
    JSON.stringify(workspaces ?? ''),
    readInside(folder, 'pnpm-workspace.yaml'),
    readInside(folder, 'pyproject.toml'),
  ]
  return texts.flatMap((text) =>
    [...text.matchAll(/["'\s]([\w.-]+(?:\/[\w.-]+)*)\/\*["'\s]/g)].map(([, found = '']) => found),
  )
}

function inPyproject(folder: string, member: 'name' | 'version'): string | undefined {
  const line = new RegExp(`^\\[(?:project|tool\\.poetry)\\][^[]*?^${member}\\s*=\\s*["']([^"'\\n]+)["']`, 'ms')
  return line.exec(readInside(folder, 'pyproject.toml'))?.[1]
}

function inCargo(folder: string, member: 'name' | 'version'): string | undefined {
  const line = new RegExp(`^\\[package\\][^[]*?^${member}\\s*=\\s*"([^"\\n]+)"`, 'ms')
  return line.exec(readInside(folder, 'Cargo.toml'))?.[1]
}

function packageJson(folder: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(readInside(folder, 'package.json'))
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}
