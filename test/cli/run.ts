import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { runCommand } from '../../src/cli/index.ts'
import type { Io, Variables } from '../../src/cli/support/io.ts'
import { prepareLists } from '../../src/cli/lists/prepare-lists.ts'
import { once } from '../../src/lib/once.ts'
import { runAs } from '../postgres/programs.ts'
import { bareEnvironment, servedBy, type Served } from '../serve.ts'
import { publishedCommand } from './published.ts'

export const mainFile = resolve(import.meta.dirname, '../../src/main.ts')

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** The lists as a published package has them. */
const preparedOnce = once(prepareLists)

const never = () => new Promise<never>(() => {})

/** Collects what is written to it. */
class Output extends Writable {
  text = ''

  override _write(chunk: Buffer | string, _: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

interface Outputs {
  stdout: Output
  stderr: Output
}

const NO_HOME = join(tmpdir(), 'tracegate-no-home')

/** The surroundings of a command that runs in this process, with stdin at its end and only the given settings. */
function testIo({ stdout, stderr }: Outputs, env: Variables): Io {
  return {
    stdin: Readable.from([]),
    stdout,
    stderr,
    // The files of clients on this machine are none of a test's business.
    env: { ...bareEnvironment(), HOME: NO_HOME, XDG_CONFIG_HOME: '', ...env },
    logDestination: { write: (line) => void stderr.write(line) },
    isContainer: () => false,
    stopRequested: never,
    sleep: () => Promise.resolve(),
    lists: { read: preparedOnce, keep: () => Promise.resolve() },
    startStdio: (variables) => Promise.resolve(stdioHere(variables)),
  }
}

interface Talk {
  env?: Variables
  /** False for the server alone, without prepared lists. */
  isPrepared?: boolean
  /** The lines arrive in pieces of so many bytes. */
  pieceBytes?: number
  /** How many answers to wait for; by default one for each line with an id. */
  answers?: number
  /** Gets the lines of the log. */
  log?: (line: string) => void
}

/** The lines that `tracegate stdio` answers to these, in the order of their text. */
export async function talk(lines: readonly string[], given: Talk = {}): Promise<string[]> {
  const { env = {}, isPrepared = true, pieceBytes = 65_536 } = given
  const expected = given.answers ?? lines.filter((line) => line.includes('"id"')).length
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const io = testIo({ stdout: new Output(), stderr: new Output() }, env)
  const { log = () => undefined } = given
  const logDestination = { write: log }
  const lists = isPrepared ? io.lists : { ...io.lists, read: () => Promise.resolve(undefined) }
  const ended = runCommand(['stdio'], { ...io, lists, logDestination, stdin, stdout })
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  for (let start = 0; start < bytes.length; start += pieceBytes) stdin.write(bytes.subarray(start, start + pieceBytes))
  const answers: string[] = []
  for await (const line of createInterface({ input: stdout })) {
    if (answers.push(line) === expected) break
  }
  stdin.end()
  await ended
  return answers.toSorted()
}

/** A client's transport to `tracegate stdio` in this process. */
function stdioHere(env: Variables) {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const outputs = { stdout: new Output(), stderr: new Output() }
  const stopped = runCommand(['stdio'], { ...testIo(outputs, env), stdin: toServer, stdout: toClient })
  const transport = new StdioServerTransport(toClient, toServer)
  const close = transport.close.bind(transport)
  return Object.assign(transport, {
    async close() {
      toServer.end()
      await stopped
      await close()
    },
  })
}

/** Runs a command line to its end in this process, in an environment without settings of ours but the given ones. */
export async function tracegate(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const outputs = { stdout: new Output(), stderr: new Output() }
  const code = await runCommand(args, testIo(outputs, env))
  return { code, stdout: outputs.stdout.text, stderr: outputs.stderr.text }
}

/** What a person types, each after the question that it answers has appeared. */
export type Typed = readonly (readonly [question: string, typed: string])[]

/** A screen that answers the questions on it, in their order. */
class Screen extends Output {
  readonly isTTY = true
  readonly keyboard = Object.assign(new PassThrough(), { isTTY: true })
  readonly #typed: (readonly [string, string])[]
  #answered = 0

  constructor(typed: Typed) {
    super()
    this.#typed = [...typed]
  }

  override _write(chunk: Buffer | string, encoding: string, done: () => void): void {
    super._write(chunk, encoding, done)
    const [question, typed] = this.#typed[0] ?? []
    const at = question === undefined ? -1 : this.text.indexOf(`${question}: `, this.#answered)
    if (typed === undefined || at < 0) return
    this.#typed.shift()
    this.#answered = this.text.length
    setImmediate(() => this.keyboard.write(`${typed}\r`))
  }
}

/** A terminal with a person who types; `screen.text` is what was on it. */
export function terminal(typed: Typed, env: Variables = {}): { screen: Output; stderr: Output; io: Io } {
  const [screen, stderr] = [new Screen(typed), new Output()]
  return { screen, stderr, io: { ...testIo({ stdout: screen, stderr }, env), stdin: screen.keyboard } }
}

/** `tracegate serve` in this process, on a free port or the one that the data directory keeps; `kill` stops it as disposing does. */
export async function serveHere(
  options: { dataDir?: string; args?: string[]; env?: Record<string, string>; keepsPort?: boolean } = {},
): Promise<Served> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tracegate-serve-'))
  const outputs = { stdout: new Output(), stderr: new Output() }
  const stop = Promise.withResolvers<void>()
  const port = options.keepsPort === true ? [] : ['--port', '0']
  const args = ['serve', ...port, '--data', dataDir, ...(options.args ?? [])]
  rmSync(join(dataDir, 'endpoints.json'), { force: true })
  let ended: number | undefined
  const running = runCommand(args, { ...testIo(outputs, options.env ?? {}), stopRequested: () => stop.promise })
  const code = running.then((exitCode) => (ended = exitCode))
  async function end() {
    stop.resolve()
    await code
  }
  const served = await servedBy(dataDir, {
    ended: () => ended,
    output: () => outputs.stdout.text + outputs.stderr.text,
  })
  return {
    ...served,
    pid: process.pid,
    kill: end,
    async [Symbol.asyncDispose]() {
      await end()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Runs the real command line, by default that of the published package, as a process of its own, to its end. */
export async function tracegateProcess(
  args: readonly string[],
  env: Record<string, string> = {},
  { command, ...user }: { command?: string; uid?: number; gid?: number } = {},
): Promise<Ran> {
  const file = command ?? (await publishedCommand())
  return await new Promise((done) => {
    const child = execFile(
      process.execPath,
      [file, ...args],
      { env: { ...bareEnvironment(), ...env }, timeout: 30_000, ...user },
      (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    )
    child.stdin?.end()
  })
}

/** The same as a user whom the system may refuse a file: it refuses root none. */
export function tracegateAsUser(args: readonly string[], folder: string): Promise<Ran> {
  return tracegateProcess(args, { HOME: folder, XDG_CONFIG_HOME: '' }, { ...runAs })
}

/** A separate folder for each test file, removed by disposing it. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'tracegate-cli-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
