import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import packageLock from '../../package-lock.json' with { type: 'json' }

const MOST_BYTES = 512 * 1024 * 1024

export interface Pinned {
  /** Versions of the packages that hold Node, by package name. */
  versions: Readonly<Record<string, string>>
  /** The bytes of `bin/node` in such a package. */
  readBinary(name: string): Buffer
}

/**
 * Compares the pinned Node, which a third party publishes (decision 019), with the Node project's own archives:
 * `archives` are paths of `node-v<version>-linux-<arch>.tar.gz`, `sums` is the text of the `SHASUMS256.txt` of that
 * version. Returns a line for each archive; throws for the first that is not the official one, not the pinned version, or
 * holds another binary than the package.
 */
export function checkNode(sums: string, archives: readonly string[], pinned: Pinned): string[] {
  return archives.map((archive) => {
    const file = basename(archive)
    const [, version = '', platform = ''] = /^node-v([\d.]+)-(linux-\w+)\.tar\.gz$/.exec(file) ?? []
    const name = `node-${platform}`
    if (pinned.versions[name] !== version) throw new Error(`${file}: package.json does not pin ${name} at ${version}`)
    if (officialSum(sums, file) !== sha256(readFileSync(archive))) {
      throw new Error(`${file}: its SHA-256 is not the one in SHASUMS256.txt`)
    }
    const official = unpack(archive, `node-v${version}-${platform}/bin/node`)
    if (!official.equals(pinned.readBinary(name)))
      throw new Error(`${name} ${version}: its bin/node is not that of ${file}`)
    return `${name} ${version}: bin/node is that of the Node project, SHA-256 ${sha256(official)}`
  })
}

function officialSum(sums: string, file: string): string {
  const line = sums.split('\n').find((each) => each.trim().endsWith(`  ${file}`))
  if (line === undefined) throw new Error(`${file} is not in SHASUMS256.txt`)
  return line.trim().split(' ')[0] ?? ''
}

function unpack(archive: string, path: string): Buffer {
  return execFileSync('tar', ['-xOzf', archive, path], { maxBuffer: MOST_BYTES })
}

function sha256(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
}

/** The package of this machine is installed; one for another machine is fetched, and has to match the lock file. */
function readBinary(name: string): Buffer {
  const installed = resolve(import.meta.dirname, '../../node_modules', name, 'bin/node')
  if (existsSync(installed)) return readFileSync(installed)
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-node-'))
  try {
    const locked = (packageLock.packages as Record<string, { version?: string; integrity?: string }>)[
      `node_modules/${name}`
    ]
    const packed = execFileSync('npm', ['pack', '--silent', `${name}@${locked?.version ?? ''}`], { cwd: folder })
    const tarball = join(folder, packed.toString().trim())
    const integrity = `sha512-${hash('sha512', readFileSync(tarball), 'base64')}`
    if (integrity !== locked?.integrity) throw new Error(`${name}: the package is not the one of package-lock.json`)
    return unpack(tarball, 'package/bin/node')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const [sums, ...archives] = process.argv.slice(2)
  if (sums === undefined || archives.length === 0) {
    console.error('usage: npm run check:node -- SHASUMS256.txt node-v<version>-linux-x64.tar.gz …')
    process.exitCode = 2
  } else {
    const lines = checkNode(readFileSync(sums, 'utf8'), archives, {
      versions: packageJson.optionalDependencies,
      readBinary,
    })
    console.log(lines.join('\n'))
  }
}
