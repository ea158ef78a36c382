/* oxlint-disable typescript/no-unsafe-member-access, typescript/restrict-template-expressions -- JavaScript, for any Node: no types to check */
// Runs on any Node from 18 on, without dependencies. Runs `npm ci` when node_modules does not match package-lock.json;
// npm records what it installed in node_modules/.package-lock.json, so a plain `npm ci` counts too.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { constants, hostname } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Has the machine and the processes of the install that holds it. */
const lock = '.bootstrap.lock'
/** Held for as long as it takes to remove the lock of an install that has ended. */
const claim = '.bootstrap.lock.claim'
/**
 * An install renews its lock. One that was not renewed for so long is taken over, also where a process with the number that it
 * names runs: after a restart of the machine or the container, that is another one.
 */
const staleMs = 10 * 60 * 1000
const renewMs = 2 * 1000
const staleClaimMs = 10 * 1000
process.chdir(fileURLToPath(new URL('../..', import.meta.url)))

if (!fresh()) {
  takeLock()
  try {
    // Another process may have installed the packages while this one waited.
    if (!fresh()) await install()
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

/** Allows one install at a time; the lock of one that has ended without removing it is taken over. */
function takeLock() {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = false; ; waited = true) {
    if (create(lock, holders(process.pid))) return
    if (removeEnded()) continue
    if (!waited) console.error('tracegate: another process is installing the packages, waiting for it')
    Atomics.wait(pause, 0, 0, 300)
  }
}

function holders(...pids) {
  return JSON.stringify({ host: hostname(), pids })
}

/** Creates a file; false if it exists. */
function create(file, text) {
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

/** Removes the lock if its install has ended. Of several processes that see this, the claim lets one look and remove it at a time. */
function removeEnded() {
  if (!hasEnded()) return false
  if (!create(claim, '')) {
    if (age(claim) > staleClaimMs) rmSync(claim, { force: true })
    return false
  }
  try {
    // Another process may have removed it in the meantime, and a third one taken it.
    if (!hasEnded()) return false
    rmSync(lock, { recursive: true, force: true })
    return true
  } finally {
    rmSync(claim, { force: true })
  }
}

function hasEnded() {
  if (age(lock) > staleMs) return true
  try {
    const { host, pids } = JSON.parse(readFileSync(lock, 'utf8'))
    return host === hostname() && !pids.some(isRunning)
  } catch {
    return false
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

function age(file) {
  try {
    return Date.now() - statSync(file).mtimeMs
  } catch {
    return 0
  }
}

function renew() {
  try {
    utimesSync(lock, new Date(), new Date())
  } catch {
    // Somebody has removed it; npm goes on.
  }
}

async function install() {
  console.error('tracegate: installing packages with npm ci, usually under a minute ...')
  const started = Date.now()
  const args = ['ci', '--loglevel=error', '--no-audit', '--no-fund']
  // npm's output goes to stderr: stdout may be a pipe to an MCP client.
  const npm = spawn('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  const ended = once(npm, 'exit')
  // Where this process is killed, npm goes on, and the next start waits for it.
  if (npm.pid !== undefined) writeFileSync(lock, holders(process.pid, npm.pid))
  // Stops with npm, so that no lock is left.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => npm.kill(signal))
  const renewing = setInterval(renew, renewMs)
  const [code, signal] = await ended.catch((error) => {
    console.error(`tracegate: npm cannot be started: ${error.message}`)
    return [1]
  })
  clearInterval(renewing)
  if (code === 0) console.error(`tracegate: packages installed in ${Math.round((Date.now() - started) / 1000)} s`)
  else process.exitCode = code ?? 128 + constants.signals[signal]
}
