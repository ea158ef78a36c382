import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPromise } from 'yauzl'
import type * as z from 'zod'
import packageJson from '../../../package.json' with { type: 'json' }
import server from '../../../server.json' with { type: 'json' }
import { Environment } from '../../../src/config-variables.ts'
import { writeMcpb } from '../../../src/dev/distribution/mcpb.ts'
import { pluginFiles, presentFiles } from '../../../src/dev/distribution/plugins.ts'
import { temporaryFolder } from '../../cli/run.ts'
import { McpbManifest, ServerJson } from './documented-rules.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

describe('server.json', () => {
  test('keeps to the rules of the registry', () => {
    expect(ServerJson.parse(server)).toEqual(server)
  })

  test('names the package as package.json does, in its version', () => {
    expect(server).toMatchObject({ name: packageJson.mcpName, version: packageJson.version })
    expect(server.packages.filter(({ registryType }) => registryType === 'npm')).toMatchObject([
      { identifier: packageJson.name, version: packageJson.version },
    ])
  })

  test('describes variables that there are, secrets as secrets, and requires none', () => {
    const variables = server.packages.flatMap(({ environmentVariables }) => environmentVariables)
    expect(variables.filter(({ name }) => !(name in Environment.shape))).toEqual([])
    expect(variables.filter(({ name }) => /TOKEN|SECRET/.test(name)).map(({ isSecret }) => isSecret)).not.toContain(
      undefined,
    )
    expect(variables.filter((variable) => 'isRequired' in variable)).toEqual([])
  })
})

describe('the MCPB bundle', () => {
  const unpacked = join(folder.path, 'unpacked')
  let manifest: z.output<typeof McpbManifest>
  beforeAll(async () => {
    const file = join(folder.path, 'tracegate.mcpb')
    await writeMcpb(file)
    await unzip(file, unpacked)
    manifest = McpbManifest.parse(JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')))
  })

  /** The arguments as an application makes them: of the fields that were filled in, and the others left as they are. */
  const argumentsWith = (given: Readonly<Record<string, string>>, otherwise?: string) =>
    manifest.server.mcp_config.args.map((word) =>
      word
        .replace('${__dirname}', unpacked)
        .replace(/\$\{user_config\.(\w+)\}/, (reference, name: string) => given[name] ?? otherwise ?? reference),
    )

  /** The names of the tools of the server, started in an empty folder with nothing else set. */
  async function listTools(args: string[]) {
    const home = join(folder.path, 'home')
    mkdirSync(home, { recursive: true })
    const client = new Client({ name: 'desktop', version: '1' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      cwd: home,
      env: { HOME: home },
      stderr: 'pipe',
    })
    let stderr = ''
    transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    await client.connect(transport)
    const { tools } = await client.listTools()
    await client.close()
    return { names: tools.map(({ name }) => name), stderr }
  }

  test.each([
    ['whose fields arrive as references', undefined],
    ['whose fields arrive empty', ''],
  ])('starts with nothing set and lists its tools: an application %s', async (_, otherwise) => {
    const { names, stderr } = await listTools(argumentsWith({}, otherwise))
    expect(names).toEqual(manifest.tools.map(({ name }) => name))
    expect(stderr.split('\n').filter((line) => line.includes('still a reference'))).toHaveLength(
      otherwise === '' ? 0 : 1,
    )
  })

  test('passes what was filled in as flags', async () => {
    const { names } = await listTools(argumentsWith({ read_only: 'true', toolsets: 'releases' }, ''))
    expect(names).toEqual(['get_release'])
  })

  test('asks for a token as for a secret, and requires nothing', () => {
    expect(manifest.user_config['api_token']).toMatchObject({ sensitive: true })
    expect(Object.values(manifest.user_config).filter(({ required }) => required)).toEqual([])
    expect(readFileSync(join(unpacked, manifest.server.entry_point), 'utf8')).toMatch(/^#!/)
  })

  test('runs without node_modules', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [join(unpacked, 'server/tracegate.js'), 'version'])
    expect(stdout.trim()).toBe(packageJson.version)
  })
})

describe('the plugins', () => {
  const read = (path: string) => JSON.parse(pluginFiles().get(path) ?? '') as Record<string, unknown>

  test('are committed as they follow from the code: run npm run plugins, and read the difference', () => {
    expect(Object.fromEntries(presentFiles())).toEqual(Object.fromEntries(pluginFiles()))
  })

  test('the marketplaces name folders with a manifest of the same name and version', () => {
    const claude = read('.claude-plugin/marketplace.json') as { plugins: { name: string; source: string }[] }
    const codex = read('.agents/plugins/marketplace.json') as { plugins: { name: string; source: { path: string } }[] }
    const places = [
      ...claude.plugins.map(({ name, source }) => [name, `${source}/.claude-plugin/plugin.json`] as const),
      ...codex.plugins.map(({ name, source }) => [name, `${source.path}/.codex-plugin/plugin.json`] as const),
    ]
    expect(places).toHaveLength(2)
    for (const [name, path] of places) {
      expect(read(path.replace('./', ''))).toMatchObject({ name, version: packageJson.version })
    }
  })

  test('start without any variable: each reference has a default', () => {
    const { mcpServers } = read('plugins/tracegate/.claude-plugin/plugin.json') as { mcpServers: object }
    expect(mcpServers).toEqual({
      tracegate: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'tracegate'],
        env: { TRACEGATE_BASE_URL: '${TRACEGATE_BASE_URL:-}', TRACEGATE_API_TOKEN: '${TRACEGATE_API_TOKEN:-}' },
      },
    })
  })

  test('a skill is in a folder of its name', () => {
    const skills = [...pluginFiles()].filter(([path]) => path.endsWith('/SKILL.md'))
    expect(skills).toHaveLength(8)
    for (const [path, text] of skills) expect(text).toContain(`\nname: ${dirname(path).split('/').at(-1) ?? ''}\n`)
  })
})

async function unzip(file: string, target: string): Promise<void> {
  const zip = await openPromise(file, { autoClose: false })
  for await (const entry of zip.eachEntry()) {
    const path = join(target, entry.fileName)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, await buffer(await zip.openReadStreamPromise(entry)))
  }
  zip.close()
}
