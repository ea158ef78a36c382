import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { build } from '../../../../src/dev/build.ts'
import type { Figure, Suite, Table } from '../../harness/suite.ts'
import { listTools, type Listed } from './list-tools.ts'

const ROUNDS = 7
const OURS = 'tracegate, bundle'

/** Servers of others, with what they need to start; the credentials are invented. */
const published: Readonly<Record<string, readonly string[]>> = {
  '@sentry/mcp-server': ['--access-token=none'],
  '@playwright/mcp': [],
  '@supabase/mcp-server-supabase': ['--access-token=sbp_none'],
  '@modelcontextprotocol/server-everything': ['stdio'],
}

/** Published servers of others, installed for the run, against ours. */
export const peers: Suite = {
  about:
    'From the start of the process to the first tools/list over stdio, and what the list costs: the newest published servers of others, and ours.',
  onlyNamed: 'It installs packages of the npm registry into a temporary folder.',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
    try {
      const packages = Object.keys(published).map((name) => `${name}@latest`)
      const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
      execFileSync('npm', [...install, ...packages], { stdio: 'ignore' })
      await build(join(folder, 'tracegate'))
      const servers: Record<string, readonly string[]> = {
        [OURS]: [join(folder, 'tracegate/tracegate.js'), 'stdio', '--data', join(folder, 'data')],
      }
      for (const [name, args] of Object.entries(published)) {
        const { title, entry } = installed(folder, name)
        servers[title] = [entry, ...args]
      }
      return await compare(servers)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const Package = z.object({ version: z.string(), bin: z.union([z.string(), z.record(z.string(), z.string())]) })

function installed(folder: string, name: string): { title: string; entry: string } {
  const home = join(folder, 'node_modules', name)
  const { version, bin } = Package.parse(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')))
  const file = typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? '')
  return { title: `${name} ${version}`, entry: join(home, file) }
}

async function compare(servers: Readonly<Record<string, readonly string[]>>): Promise<Table[]> {
  const notes: string[] = []
  const taken = new Map<string, Listed[]>()
  for (const [name, command] of Object.entries(servers)) {
    // The first start fills compile caches and data directories.
    const failure = await listTools(command).then(() => undefined, String)
    if (failure === undefined) taken.set(name, [])
    else notes.push(`${name} does not list its tools without its service: ${failure}`)
  }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, values] of taken) values.push(await listTools(servers[name] ?? []))
  const rows = (unit: Figure['unit'], of: (one: Listed) => number) =>
    [...taken].map(([name, all]): Figure => ({
      name,
      unit,
      values: all.map(of),
      ...(name !== OURS && { against: OURS }),
    }))
  return [
    { title: 'Start to the first tools/list', figures: rows('ms', ({ ms }) => ms), notes },
    { title: 'The most memory until then', figures: rows('MB', ({ mb }) => mb) },
    { title: 'Tokens of the list', figures: rows('tokens', ({ tokens }) => tokens) },
    { title: 'Tools in the list', figures: rows('tools', ({ tools }) => tools) },
  ]
}
