import { Client, type CallToolResult, type Transport } from '@modelcontextprotocol/client'
import { Environment } from '../config-variables.ts'
import { ConfigError, type Config } from '../config.ts'
import { isObject } from '../lib/objects.ts'
import { version } from '../version.ts'
import { plainLines } from './support/finding.ts'
import type { Io } from './support/io.ts'
import { remoteTransport, connectionFailure } from './support/remote.ts'

/**
 * `tracegate call TOOL [JSON] [--json] [--url]`: one tool call through a real MCP client, to a new stdio process or to
 * the given MCP address. Prints the result as an agent gets it; resolves to 1 when the result is an error.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const [tool, json, ...rest] = config.operands
  if (tool === undefined)
    throw new ConfigError('call needs a tool: tracegate call find_error_issues \'{"period":"1d"}\'')
  if (rest.length > 0) throw new ConfigError('call takes one JSON object: quote it')
  const args = parseArguments(json)
  const client = new Client({ name: 'tracegate-call', version }, { versionNegotiation: { mode: 'auto' } })
  const connection = await connectTo(config, io)
  let connected = false
  try {
    await client.connect(connection)
    connected = true
    const result = await client.callTool({ name: tool, arguments: args })
    io.stdout.write(`${config.json ? structured(result) : text(result)}\n`)
    return result.isError === true ? 1 : 0
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the call failed'
    const remote = config.url === undefined ? why : connectionFailure(error, config.url)
    const message = connected ? await explain(why, { tool, client, config }) : remote
    io.stderr.write(`tracegate: ${plainLines(message)}\n`)
    return 1
  } finally {
    await client.close().catch(() => undefined)
  }
}

/** The arguments of the call. Throws a `ConfigError` that names the position where the text stops being JSON. */
export function parseArguments(json = '{}'): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it cannot be read'
    const position = Number(/position (\d+)/.exec(why)?.[1] ?? json.length)
    const near = json.slice(Math.max(0, position - 15), position + 15)
    throw new ConfigError(
      `the arguments are not valid JSON at position ${String(position)}, near ${JSON.stringify(near)}: write them as one quoted object, '{"name":"value"}'`,
    )
  }
  if (isObject(value)) return value
  throw new ConfigError('the arguments are not a JSON object: write \'{"name":"value"}\'')
}

async function connectTo(config: Config, io: Io): Promise<Transport> {
  if (config.url !== undefined) return remoteTransport(config.url, config)
  const others = Object.entries(io.env).filter(([name]) => !(name in Environment.shape))
  // The child reports its failures in its answers.
  return io.startStdio({ ...Object.fromEntries(others), TRACEGATE_LOG_LEVEL: 'error', ...config.settings })
}

function text({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
}

function structured(result: CallToolResult): string {
  return JSON.stringify(
    result.structuredContent ?? { isError: result.isError ?? false, content: result.content },
    undefined,
    2,
  )
}

/** Most protocol errors name a tool that does not exist or is left out: the message then says which. */
async function explain(why: string, { tool, client, config }: Asked): Promise<string> {
  const listed = await client.listTools().catch(() => undefined)
  const names = listed?.tools.map(({ name }) => name)
  if (names === undefined || names.includes(tool)) return why
  return (await whyHidden(tool, config)) ?? `there is no tool ${tool}; the tools are: ${names.join(', ')}`
}

interface Asked {
  tool: string
  client: Client
  config: Config
}

/** Why a tool is not in the list although it exists; undefined where it does not. */
async function whyHidden(name: string, { toolsets, readOnly, url }: Config): Promise<string | undefined> {
  const { surface } = await import('../surface.ts')
  const tool = surface.tools.find((one) => one.name === name)
  if (tool === undefined) return undefined
  if (url !== undefined) return `the server at ${url} leaves out ${name}, which is in the toolset ${tool.toolset}`
  if (readOnly && tool.effect !== 'read') return `${name} writes, so --read-only or TRACEGATE_READ_ONLY leaves it out`
  const added = [...toolsets, tool.toolset].join(',')
  return `${name} is in the toolset ${tool.toolset}: add --toolsets ${added}`
}
