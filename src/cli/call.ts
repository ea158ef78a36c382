import { Client, type CallToolResult, type Transport } from '@modelcontextprotocol/client'
import { ConfigError, type Config } from '../config.ts'
import { isObject } from '../lib/objects.ts'
import { version } from '../version.ts'
import { requireBuilt } from './backend.ts'
import type { Io } from './io.ts'
import { remoteTransport, unreached } from './remote.ts'

/**
 * `tracegate call TOOL [JSON] [--json] [--url]`: one tool call through a real MCP client, to a stdio process of our own or
 * to the MCP address given. Prints what an agent would get; resolves to 1 when the result is an error.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const [tool, json, ...rest] = config.operands
  if (tool === undefined)
    throw new ConfigError('call needs a tool: tracegate call find_error_issues \'{"period":"1d"}\'')
  if (rest.length > 0) throw new ConfigError('call takes one JSON object: put it in quotes')
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
    const remote = config.url === undefined ? why : unreached(error, config.url)
    const told = connected ? await explain(why, tool, client) : remote
    io.stderr.write(`tracegate: ${told}\n`)
    return 1
  } finally {
    await client.close().catch(() => undefined)
  }
}

/** The arguments of the call; the error names the place where JSON stops making sense. */
export function parseArguments(json = '{}'): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it cannot be read'
    const position = Number(/position (\d+)/.exec(why)?.[1] ?? json.length)
    const near = json.slice(Math.max(0, position - 15), position + 15)
    throw new ConfigError(
      `the arguments are not JSON at position ${String(position)}, near ${JSON.stringify(near)}: write them as one quoted object, '{"name":"value"}'`,
    )
  }
  if (isObject(value)) return value
  throw new ConfigError('the arguments are no JSON object: write \'{"name":"value"}\'')
}

async function connectTo(config: Config, io: Io): Promise<Transport> {
  if (config.url !== undefined) return remoteTransport(config.url, config)
  // Said here, because a child that does not start can only end the connection.
  requireBuilt(config)
  return io.startStdio({
    ...io.env,
    TRACEGATE_DATA_DIR: config.dataDir,
    TRACEGATE_TOOLSETS: config.toolsets.join(','),
    TRACEGATE_READ_ONLY: String(config.readOnly),
    TRACEGATE_PRODUCT: config.product ?? '',
    // The child reports its failures in its answers.
    TRACEGATE_LOG_LEVEL: io.env['TRACEGATE_LOG_LEVEL'] ?? 'error',
  })
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

/** A protocol error is most often a tool that is not there: then those that are. */
async function explain(why: string, tool: string, client: Client): Promise<string> {
  const listed = await client.listTools().catch(() => undefined)
  const names = listed?.tools.map(({ name }) => name)
  return names === undefined || names.includes(tool) ? why : `no tool ${tool}; there are: ${names.join(', ')}`
}
