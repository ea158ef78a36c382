import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const project = resolve(import.meta.dirname, '../..')
const NOBODY = 65_534

/** Who runs the program: root becomes nobody, as in the image another user. */
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined

export interface Image {
  /** Where the files of the image are. */
  root: string
  /** Starts the program as the image does, as another user and with only the files of the image. */
  start(
    this: void,
    args?: readonly string[],
    variables?: Readonly<Record<string, string>>,
  ): ChildProcessWithoutNullStreams
}

interface Stage {
  name: string
  root: string
  workdir: string
  env: Record<string, string>
  entrypoint: string[]
}

/**
 * Plays the steps of the Dockerfile in an empty folder, for a machine without Docker. `packages` is a folder of packages
 * that `npm ci` would install; without it, npm does. Throws where a step is unknown or fails.
 */
export function playDockerfile(folder: string, packages?: string): Image {
  const stages: Stage[] = []
  for (const [instruction, rest] of instructions(readFileSync(join(project, 'Dockerfile'), 'utf8'))) {
    if (instruction === 'FROM') stages.push(begin(folder, rest))
    else perform({ stages, stage: stages.at(-1)!, packages }, instruction, rest)
  }
  const last = stages.at(-1)!
  // The image has one of its own, where everyone may run it.
  const node = join(last.root, 'usr/local/bin/node')
  mkdirSync(dirname(node), { recursive: true })
  cpSync(process.execPath, node)
  return {
    root: last.root,
    start: (args = [], variables = {}) => startIn({ ...last, env: { ...last.env, ...variables } }, node, args),
  }
}

/** Instructions with the rest of their lines, without comments. */
function instructions(text: string): [string, string][] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [instruction = '', ...words] = line.split(' ')
    return [instruction, words.join(' ')]
  })
}

function begin(folder: string, from: string): Stage {
  const [image = '', , name = 'last'] = from.split(' ')
  if (!image.startsWith('node:24')) throw new Error(`FROM ${image}: not the Node.js of this project`)
  const root = join(folder, name)
  mkdirSync(root)
  chmodSync(root, 0o755)
  return { name, root, workdir: '/', env: {}, entrypoint: [] }
}

interface Place {
  stages: readonly Stage[]
  stage: Stage
  packages: string | undefined
}

function perform({ stages, stage, packages }: Place, instruction: string, rest: string): void {
  const inside = (path: string) => join(stage.root, resolve(stage.workdir, path))
  if (instruction === 'WORKDIR') {
    stage.workdir = rest
    mkdirSync(inside('.'), { recursive: true })
  } else if (instruction === 'COPY') copy(rest, stages, inside)
  else if (instruction === 'RUN') run(rest, stage, packages)
  else if (instruction === 'ENV')
    Object.assign(stage.env, Object.fromEntries(rest.split(' ').map((one) => one.split('='))))
  else if (instruction === 'ENTRYPOINT') stage.entrypoint = JSON.parse(rest) as string[]
  else if (instruction === 'USER' ? rest === 'root' : instruction !== 'EXPOSE')
    throw new Error(`${instruction} ${rest}: not known here`)
}

function copy(rest: string, stages: readonly Stage[], inside: (path: string) => string): void {
  const words = rest.split(' ')
  const from = /^--from=(.*)/.exec(words[0] ?? '')?.[1]
  const named = from === undefined ? words : words.slice(1)
  const to = inside(named.at(-1) ?? '')
  const source = from === undefined ? project : (stages.find(({ name }) => name === from)?.root ?? '')
  for (const name of named.slice(0, -1).flatMap((each) => (each === '.' ? context() : [each]))) {
    const isInto = from === undefined
    cpSync(join(source, name), isInto ? join(to, basename(name)) : to, { recursive: true })
  }
}

/** What `.dockerignore` leaves of the project. */
function context(): string[] {
  const lines = readFileSync(join(project, '.dockerignore'), 'utf8').split('\n')
  return lines.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
}

function run(command: string, stage: Stage, packages: string | undefined): void {
  const cwd = join(stage.root, stage.workdir)
  if (packages !== undefined && command.startsWith('npm ci')) {
    symlinkSync(packages, join(cwd, 'node_modules'))
    return
  }
  const owner = user === undefined ? '' : `-o ${String(user.uid)} -g ${String(user.gid)}`
  const here = command.replaceAll(/(?<= )\/\w/g, (path) => stage.root + path).replace('-o node -g node', owner)
  const { status, stderr } = spawnSync('sh', ['-c', here], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`RUN ${command}: ${stderr}`)
}

function startIn({ root, workdir, env, entrypoint }: Stage, node: string, args: readonly string[]) {
  const [program = '', ...first] = entrypoint
  if (program !== 'node') throw new Error(`ENTRYPOINT ${program}: not known here`)
  const place = (value: string) => (value.startsWith('/') ? root + value : value)
  const settings = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, place(value)]))
  return spawn(node, [...first.map(place), ...args], { cwd: root + workdir, env: settings, ...user })
}

/** The names of the tools that a program lists over stdio, before it has any settings. */
export async function listTools(child: ChildProcessWithoutNullStreams): Promise<string[]> {
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'check-image', version: '0' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/list' })
  let errors = ''
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()))
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as { id?: number; result?: { tools: { name: string }[] } }
    if (message.id !== 2) continue
    child.stdin.end()
    return (message.result?.tools ?? []).map(({ name }) => name)
  }
  throw new Error(`the program has ended: ${errors}`)
}

/** `npm run check:image`: installs, builds and starts what the Dockerfile describes, in a folder of its own. */
if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-image-'))
  chmodSync(folder, 0o755)
  try {
    const image = playDockerfile(folder)
    const tools = await listTools(image.start())
    console.log(`the image lists ${String(tools.length)} tools: ${tools.join(', ')}`)
    if (!existsSync(join(image.root, 'data'))) throw new Error('there is no /data')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
