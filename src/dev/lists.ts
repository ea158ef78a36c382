import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { contract, type EndpointName } from '../contract/index.ts'
import type { Tool } from '../mcp/define/define.ts'
import { createHandlers } from '../service/handlers/index.ts'

const root = resolve(import.meta.dirname, '../..')

/** The list of tools and the list of endpoints without a handler: committed, and kept in step by `npm run lists`. */
export const toolList = 'tools/index.ts'
export const pendingList = 'src/service/handlers/pending.ts'

interface ToolModule {
  file: string
  exported: string
  tool: Tool
}

/**
 * `tools/index.ts` with every tool of the folder. Listed tools keep their order, which is the order agents see; a new tool
 * comes after the others of its toolset.
 */
export async function toolListText(): Promise<string> {
  const listed = listedNames(readFileSync(resolve(root, toolList), 'utf8'), /^ {2}(\w+),$/gm)
  const files = readdirSync(resolve(root, 'tools')).filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  const modules = await Promise.all(files.map(readTool))
  const places = new Map(listed.map((name, index) => [name, index]))
  const known = modules
    .filter(({ exported }) => places.has(exported))
    .toSorted((left, right) => (places.get(left.exported) ?? 0) - (places.get(right.exported) ?? 0))
  for (const added of modules.filter(({ exported }) => !places.has(exported))) {
    const last = known.findLastIndex(({ tool }) => tool.toolset === added.tool.toolset)
    known.splice(last === -1 ? known.length : last + 1, 0, added)
  }
  return [
    "import type { Tool } from '../src/mcp/define/define.ts'",
    ...modules.map(({ file, exported }) => `import { ${exported} } from './${file}'`),
    '',
    '/** Every tool, in the order agents see them: the default toolset first. `npm run lists` adds a new one. */',
    'export const tools: readonly Tool[] = [',
    ...known.map(({ exported }) => `  ${exported},`),
    ']',
    '',
  ].join('\n')
}

/** `handlers/pending.ts` without the endpoints that have a handler by now, in the contract's order. */
export function pendingListText(): string {
  const text = readFileSync(resolve(root, pendingList), 'utf8')
  const options = {
    version: '',
    onComponentsChanged: () => undefined,
    uploads: {},
    symbolicator: {},
    reports: {},
    agents: {},
  }
  // Only the names of the handlers are read; none of them is called.
  const built = new Set(Object.keys(createHandlers(options as never)))
  const names = (Object.keys(contract) as EndpointName[]).filter((name) => !built.has(name))
  const lines = names.map((name) => `\n  '${name}',`)
  const list = `export const pending = [${lines.join('')}${lines.length === 0 ? '' : '\n'}] as const`
  return text.replace(/export const pending = \[[\s\S]*?\] as const/, () => list)
}

async function readTool(file: string): Promise<ToolModule> {
  const module = (await import(resolve(root, 'tools', file))) as Record<string, unknown>
  const [exported, tool] = Object.entries(module).find(([, value]) => isTool(value)) ?? []
  if (exported === undefined) throw new Error(`tools/${file} exports no tool: helpers of tools belong in tools/support`)
  return { file, exported, tool: tool as Tool }
}

function isTool(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'toolset' in value && 'run' in value
}

function listedNames(text: string, line: RegExp): string[] {
  return [...text.matchAll(line)].map(([, name = '']) => name)
}

if (import.meta.main) {
  for (const [file, text] of [
    [toolList, await toolListText()],
    [pendingList, pendingListText()],
  ] as const) {
    const isCurrent = readFileSync(resolve(root, file), 'utf8') === text
    if (!isCurrent) writeFileSync(resolve(root, file), text)
    console.log(`${file} ${isCurrent ? 'is up to date' : 'written'}`)
  }
}
