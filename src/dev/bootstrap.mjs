/* oxlint-disable typescript/no-unsafe-member-access, typescript/restrict-template-expressions -- JavaScript, for any Node: no types to check */
// Runs on any Node from 18 on, without dependencies. Runs `npm ci` when node_modules does not match package-lock.json;
// npm records what it installed in node_modules/.package-lock.json, so a plain `npm ci` counts too.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const lock = '.bootstrap.lock'
const staleMs = 10 * 60 * 1000
process.chdir(fileURLToPath(new URL('../..', import.meta.url)))

if (!fresh()) {
  takeLock()
  try {
    // Another process may have installed the packages while this one waited.
    if (!fresh()) install()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function packages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

function fresh() {
  const wanted = packages('package-lock.json')
  const present = packages('node_modules/.package-lock.json')
  if (!wanted || !present) return false
  return Object.entries(wanted).every(([path, want]) => {
    if (!path.startsWith('node_modules/')) return true
    const have = present[path]
    if (!have) return want.optional || want.devOptional || want.peer
    return have.version === want.version && have.integrity === want.integrity
  })
}

/** Allows one install at a time; the lock of a crashed install is taken over after ten minutes. */
function takeLock() {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = false; ; waited = true) {
    try {
      mkdirSync(lock)
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (ageOfLock() > staleMs) rmSync(lock, { recursive: true, force: true })
    else if (!waited) console.error('tracegate: another process is installing the packages, waiting for it')
    Atomics.wait(pause, 0, 0, 300)
  }
}

function ageOfLock() {
  try {
    return Date.now() - statSync(lock).mtimeMs
  } catch {
    return 0
  }
}

function install() {
  console.error('tracegate: installing packages with npm ci, usually under a minute ...')
  const started = Date.now()
  const args = ['ci', '--loglevel=error', '--no-audit', '--no-fund']
  // npm's output goes to stderr: stdout may be a pipe to an MCP client.
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (status === 0) console.error(`tracegate: packages installed in ${Math.round((Date.now() - started) / 1000)} s`)
  else process.exitCode = status ?? 1
}
