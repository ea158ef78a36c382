import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { listMethods, type Era, type Item, type PreparedLists } from '../../mcp/opening/lists.ts'
import { requestEnvelope } from '../../mcp/opening/read.ts'
import { SKILLS_EXTENSION } from '../../mcp/skills/extension-name.ts'
import { serveTransport } from '../../mcp/stdio.ts'
import { surface } from '../../surface.ts'
import { version } from '../../version.ts'

const clientInfo = { name: 'tracegate-prepare', version: '1' }

/** The requests of each era that a server which offers everything is asked. */
const requests: Readonly<Record<Era, readonly { method: string; params?: object }[]>> = {
  legacy: [
    { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    ...listMethods.map((method) => ({ method })),
  ],
  modern: ['server/discover', ...listMethods].map((method) => ({
    method,
    params: { _meta: requestEnvelope(clientInfo) },
  })),
}

/** The list in each answer. */
const members = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const
type Member = (typeof members)[number]
type Answers = Readonly<Record<string, Item>>

/** What this program answers first: the answers of a server that offers everything, taken apart. */
export async function prepareLists(): Promise<PreparedLists> {
  const [legacy, modern] = await Promise.all([askFirst('legacy'), askFirst('modern')])
  const find = (member: Member, name: string) => {
    const [item, same] = [legacy, modern].map((answers) => findItem(answers, member, name))
    if (item === undefined || JSON.stringify(item) !== JSON.stringify(same))
      throw new Error(`${name} is not the same in the ${member} of both eras: prepare them apart`)
    return item
  }
  return {
    tools: surface.tools.map(({ name, toolset, effect, local, task }) => ({
      name,
      toolset,
      effect,
      ...(local && { local }),
      startsTasks: task !== undefined,
      item: find('tools', name),
    })),
    resources: [
      ...surface.resources.map(({ name }) => ({ item: find('resources', name) })),
      ...(surface.views ?? []).map(({ name, tools }) => ({ tools, item: find('resources', name) })),
    ],
    templates: [
      ...surface.templates.map(({ name, tool, watch }) => ({
        tool,
        isWatched: watch !== undefined,
        item: find('resourceTemplates', name),
      })),
      { isWatched: false, item: find('resourceTemplates', SKILLS_EXTENSION) },
    ],
    prompts: surface.prompts.map(({ name, tools, suggest }) => ({
      tools,
      suggests: Object.keys(suggest),
      item: find('prompts', name),
    })),
    frames: { legacy: withoutItems(legacy), modern: withoutItems(modern) },
  }
}

function findItem(answers: Answers, member: Member, name: string): Item | undefined {
  return Object.values(answers)
    .flatMap((answer) => (answer[member] ?? []) as readonly Item[])
    .find((item) => item['name'] === name)
}

/** The answers with empty lists, whose members keep their places. */
function withoutItems(answers: Answers): Answers {
  const isList = (name: string) => (members as readonly string[]).includes(name)
  const emptied = (answer: Item) =>
    Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, isList(name) ? [] : value]))
  return Object.fromEntries(Object.entries(answers).map(([method, answer]) => [method, emptied(answer)]))
}

/** The results that a client of the era gets, by method. */
async function askFirst(era: Era): Promise<Answers> {
  const waiting = new Map<unknown, (result: Item) => void>()
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      if ('result' in message) waiting.get(message.id)?.(message.result)
      return Promise.resolve()
    },
  }
  const options = { toolsets: ['all'], readOnly: false, local: true }
  const handle = serveTransport({ api: neverOpened, options, version }, transport)
  const ask = async ({ method, params }: { method: string; params?: object }, id: number) => {
    const answer = new Promise<Item>((resolve) => waiting.set(id, resolve))
    transport.onmessage?.({ jsonrpc: '2.0', id, method, ...(params && { params }) } as JSONRPCMessage)
    // As it is on the wire: without what is undefined.
    return [method, JSON.parse(JSON.stringify(await answer)) as Item] as const
  }
  const answers = Object.fromEntries(await Promise.all(requests[era].map(ask)))
  await handle.close()
  return answers
}

function neverOpened(): never {
  throw new Error('lists need no service')
}
