import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import server from '../../../server.json' with { type: 'json' }
import { SERVER_NAME } from '../../cli/clients/client.ts'
import { stdioEntry } from '../../cli/clients/entry.ts'
import { findClient } from '../../cli/clients/list.ts'
import { npxWords } from '../../cli/support/own-command.ts'
import { skillDocuments } from '../../mcp/skills/documents.ts'
import { createListing } from '../../mcp/surface/listing.ts'
import { surface } from '../../surface.ts'

export const root = resolve(import.meta.dirname, '../../..')
const PLUGIN = 'plugins/tracegate'

/** Variables that a plugin passes on; without them the server runs the embedded service. */
const VARIABLES = ['TRACEGATE_BASE_URL', 'TRACEGATE_API_TOKEN']

const { name, version, description, license, keywords } = packageJson
const facts = { name, version, description, author: { name: server.title }, license, keywords }

/**
 * The files of the plugins for Claude Code and Codex with their marketplaces, by path from the root of the repository. One
 * folder serves both: they share the skills, and each has a manifest of its own with the server as that client writes it.
 */
export function pluginFiles(): Map<string, string> {
  const claude = { ...facts, mcpServers: serverFor('claude-code') }
  const codex = {
    ...facts,
    skills: './skills/',
    mcpServers: './.codex-plugin/mcp.json',
    interface: { displayName: server.title, shortDescription: server.description, category: 'Developer Tools' },
  }
  const policy = { installation: 'AVAILABLE', authentication: 'ON_INSTALL' }
  const source = { source: 'local', path: `./${PLUGIN}` }
  const listing = createListing(surface, { toolsets: ['all'], readOnly: false, local: true })
  return new Map([
    [
      '.claude-plugin/marketplace.json',
      json({ name, owner: facts.author, plugins: [{ name, source: source.path, description, version }] }),
    ],
    [
      '.agents/plugins/marketplace.json',
      json({
        name,
        interface: { displayName: server.title },
        plugins: [{ name, source, policy, category: codex.interface.category }],
      }),
    ],
    [`${PLUGIN}/.claude-plugin/plugin.json`, json(claude)],
    [`${PLUGIN}/.codex-plugin/plugin.json`, json(codex)],
    [`${PLUGIN}/.codex-plugin/mcp.json`, json({ mcpServers: serverFor('codex') })],
    ...skillDocuments(listing).map((skill) => [`${PLUGIN}/skills/${skill.name}/SKILL.md`, skill.text] as const),
  ])
}

function serverFor(id: string): object {
  const client = findClient(id)
  if (client === undefined) throw new Error(`there is no client ${id}`)
  return { [SERVER_NAME]: stdioEntry(client, npxWords('linux'), { needed: VARIABLES }) }
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** The files that are in the folders of the plugins now, by path from the root of the repository. */
export function presentFiles(): Map<string, string> {
  const folders = ['.claude-plugin', '.agents', 'plugins'].filter((folder) => existsSync(join(root, folder)))
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return new Map(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]))
}

if (import.meta.main) {
  for (const path of presentFiles().keys()) rmSync(join(root, path))
  for (const [path, text] of pluginFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  console.log(`${PLUGIN} written`)
}
