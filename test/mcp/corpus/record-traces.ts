import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { launchBrowser } from '../../browser.ts'

/** Records `traces.json`: runs each program of `crashes/` until it fails and keeps what its runtime printed. */

interface Trace {
  runtime: string
  text: string
}

const root = resolve(import.meta.dirname, '../../..')
const dir = mkdtempSync(join(tmpdir(), 'tracegate-crashes-'))
const TRACE_LINES = 40
const TRACE_CHARACTERS = 4000
const PROGRAM_MS = 10_000
const BATCH_MS = 180_000

/** Runs the programs on its standard input; the last line it prints is the list of their tracebacks. */
const PYTHON = `
import json, sys, traceback, linecache
texts = []
for index, program in enumerate(json.load(sys.stdin)):
    name = f"/srv/app/jobs/job_{index}.py"
    linecache.cache[name] = (len(program), None, program.splitlines(True), name)
    try:
        exec(compile(program, name, "exec"), {"__name__": "__main__"})
        texts.append("")
    except BaseException:
        texts.append(traceback.format_exc())
print("\\n" + json.dumps(texts))
sys.stdout.flush()
import os; os._exit(0)
`

const recorders: Readonly<Record<string, (programs: string[]) => Promise<string[]> | string[]>> = {
  node: recordNode,
  browser: recordBrowser,
  python: recordPython,
  java: recordJava,
  rust: recordRust,
  perl: (programs) => programs.map((program) => printed('perl', ['-e', program])),
  tcl: (programs) => programs.map((program) => printed('tclsh', [written('crash.tcl', program)])),
}

process.chdir(dir)
try {
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  const traces: Trace[] = []
  for (const [runtime, record] of Object.entries(recorders)) {
    const recorded = await record(listPrograms(runtime))
    const kept = [...new Set(recorded.map(neutral).filter((text) => text !== ''))]
    console.log(`${runtime}: ${String(kept.length)} of ${String(recorded.length)}`)
    traces.push(...kept.map((text) => ({ runtime, text })))
  }
  writeFileSync(join(import.meta.dirname, 'traces.json'), `${JSON.stringify(traces, undefined, 2)}\n`)
} finally {
  process.chdir(root)
  rmSync(dir, { recursive: true, force: true })
}
// Some libraries leave timers and sockets behind.
process.exit(0)

/** One program a line; `\n` inside a line is a newline of the program. */
function listPrograms(runtime: string): string[] {
  const lines = readFileSync(join(import.meta.dirname, 'crashes', `${runtime}.txt`), 'utf8').split('\n')
  return lines.filter((line) => line !== '')
}

function written(name: string, text: string): string {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}

/** What a program that fails prints to stderr. */
function printed(command: string, args: string[], env?: NodeJS.ProcessEnv): string {
  const run = spawnSync(command, args, {
    cwd: dir,
    encoding: 'utf8',
    timeout: PROGRAM_MS,
    env: { ...process.env, ...env },
  })
  return run.status === 0 ? '' : run.stderr
}

/** Each program as a module; the error as `console.error` prints it, with its causes. */
async function recordNode(programs: string[]): Promise<string[]> {
  const ignore = () => undefined
  process.on('uncaughtException', ignore)
  const texts: string[] = []
  for (const [index, program] of programs.entries()) {
    const imports = /import \{[^}]*\} from 'node:fs'/.test(program) ? program : ''
    const body = `${imports}\nexport async function handle() {\n  ${program}\n}\n`
    const file = written(`job-${String(index)}.mjs`, body)
    texts.push(
      await failure(async () => {
        const { handle } = (await import(pathToFileURL(file).href)) as { handle: () => Promise<unknown> }
        await handle()
      }),
    )
  }
  process.off('uncaughtException', ignore)
  return texts
}

async function failure(run: () => Promise<unknown>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), PROGRAM_MS)
  })
  try {
    await Promise.race([run(), late])
    return ''
  } catch (error) {
    return error instanceof Error && error.message === 'late' ? '' : inspect(error, { depth: 4 })
  } finally {
    clearTimeout(timer)
  }
}

/** Each program in a page of a shop, in a script with an address. */
async function recordBrowser(programs: string[]): Promise<string[]> {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.route('**/*', (route) =>
      route.request().url() === 'https://shop.example/'
        ? route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>shop</title>' })
        : route.abort(),
    )
    await page.goto('https://shop.example/')
    const texts: string[] = []
    for (const [index, program] of programs.entries()) {
      const script = `(async () => { async function handle() {\n  ${program}\n}\ntry { await handle() } catch (error) { return error.stack } })()
//# sourceURL=https://shop.example/assets/app-${String(index)}.js`
      const text = await page.evaluate(script)
      texts.push(typeof text === 'string' ? text : '')
    }
    return texts
  } finally {
    await browser.close()
  }
}

function recordPython(programs: string[]): string[] {
  const lines = programs.map((program) => program.replaceAll(String.raw`\n`, '\n'))
  const run = spawnSync('python3', ['-c', PYTHON], {
    cwd: dir,
    encoding: 'utf8',
    input: JSON.stringify(lines),
    timeout: BATCH_MS,
  })
  return JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '[]') as string[]
}

function recordJava(programs: string[]): string[] {
  const jobs = programs.map(
    (program, index) => `  static void job${String(index)}() throws Throwable {\n    ${program}\n  }`,
  )
  const calls = programs.map(
    (_, index) =>
      `    try { job${String(index)}(); } catch (Throwable error) { error.printStackTrace(); }\n    System.err.println("=====");`,
  )
  const file = written(
    'Shop.java',
    `public class Shop {\n${jobs.join('\n')}\n  public static void main(String[] args) {\n${calls.join('\n')}\n  }\n}\n`,
  )
  execFileSync('javac', ['-nowarn', file], { cwd: dir, timeout: BATCH_MS, stdio: 'pipe' })
  const run = spawnSync('java', ['-cp', dir, 'Shop'], { encoding: 'utf8', timeout: BATCH_MS })
  return run.stderr.split('=====\n').filter((text) => text.trim() !== '')
}

function recordRust(programs: string[]): string[] {
  const arms = programs.map((program, index) => `        ${String(index)} => { ${program} }`)
  const file = written(
    'main.rs',
    `#![allow(unused, unconditional_panic, arithmetic_overflow)]\nfn main() {\n    match std::env::var("JOB").unwrap().parse::<usize>().unwrap() {\n${arms.join('\n')}\n        _ => {}\n    }\n}\n`,
  )
  execFileSync('rustc', ['-g', '-o', join(dir, 'shop'), file], { cwd: dir, timeout: BATCH_MS, stdio: 'pipe' })
  return programs.map((_, index) => printed(join(dir, 'shop'), [], { JOB: String(index), RUST_BACKTRACE: '1' }))
}

/** The text as another machine would print it: no paths and names of this one, and no longer than a report needs. */
function neutral(text: string): string {
  const places: [string | RegExp, string][] = [
    [dir, '/srv/app'],
    [root, '/srv/app'],
    [/\/\S*\/lib\/python3\.\d+/g, '/usr/lib/python3'],
    [/\/rustc\/[0-9a-f]{40}/g, '/rustc/src'],
    [dirname(process.execPath), '/usr/bin'],
    [homedir(), '/home/deploy'],
    [tmpdir(), '/var/tmp'],
  ]
  const replaced = places.reduce((rest, [from, to]) => rest.replaceAll(from, to), text)
  const lines = replaced.trim().split('\n')
  return lines
    .filter((line) => !/record-traces\.ts|File "<string>", line/.test(line))
    .slice(0, TRACE_LINES)
    .join('\n')
    .slice(0, TRACE_CHARACTERS)
}
