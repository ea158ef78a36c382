import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const LONGEST_MS = 2_000
const MOST_BYTES = 1_000_000
const MOST_COMMITS = 500

/**
 * Whatever the repository configures, git starts no other program and asks nobody (decision 044): no hook, pager, file
 * system monitor, signature check, external diff or fetch of missing objects.
 */
const SETTINGS = [
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'protocol.allow=never',
]
const LOG = ['--no-show-signature', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', '--relative']
const ENVIRONMENT = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' }

/**
 * The files below a folder that the commits after `from` up to `to` changed, each with its newest commit, abbreviated.
 * Undefined when git cannot tell: it is not installed, refuses the folder, does not know a commit or needs too long.
 * Throws nothing.
 */
export async function changesBetween(
  folder: string,
  { from, to }: { from: string; to: string },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (!isCommit(from) || !isCommit(to)) return undefined
  const args = [...SETTINGS, 'log', ...LOG, `--max-count=${MOST_COMMITS}`, '--name-only', '-z', '--format=%x01%h']
  try {
    const { stdout } = await run('git', [...args, `${from}..${to}`, '--'], {
      cwd: folder,
      env: { ...process.env, ...ENVIRONMENT },
      timeout: LONGEST_MS,
      maxBuffer: MOST_BYTES,
      windowsHide: true,
      signal,
    })
    return readLog(stdout)
  } catch {
    return undefined
  }
}

/** Whether the text is the hexadecimal name of a commit, which is all that git is ever given. */
export function isCommit(text: string): boolean {
  return /^[0-9a-f]{7,64}$/i.test(text)
}

/** The newest commit comes first. */
function readLog(text: string): Map<string, string> {
  const changed = new Map<string, string>()
  for (const commit of text.split('\u0001').slice(1)) {
    const [hash = '', ...files] = commit.split('\0').map((part) => part.replace(/^\n+/, ''))
    for (const file of files) if (file !== '' && !changed.has(file)) changed.set(file, hash)
  }
  return changed
}
