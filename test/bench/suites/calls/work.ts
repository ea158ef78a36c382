import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { reportWorker, sourceMapWorker } from '../../../../src/cli/support/workers.ts'
import type { Api } from '../../../../src/client/api.ts'
import { Capabilities } from '../../../../src/client/capabilities/capabilities.ts'
import { createApi } from '../../../../src/client/client.ts'
import { openService, type Service } from '../../../../src/service/index.ts'
import { defineTool } from '../../../../src/mcp/define/define.ts'

/** What the tools of both servers answer. */
export const greeting = 'Everything is in order, and there is nothing to do.'

/** The work of the second tool: one REST read. */
export async function readName(api: Api): Promise<string> {
  const { user } = await api.getMe({})
  return `You are ${user.display_name ?? 'not known'}.`
}

const shared = { toolset: 'default', effect: 'read', output: z.object({}) } as const

/** The same tools as the minimal server's, among all of ours. */
export const trivialTools = [
  defineTool({
    ...shared,
    name: 'say_nothing',
    title: 'Say nothing',
    description: 'Answers a sentence.',
    input: z.strictObject({ text: z.string().optional() }),
    run: () => Promise.resolve({ answer: greeting, data: {} }),
  }),
  defineTool({
    ...shared,
    name: 'read_name',
    title: 'Read a name',
    description: 'Reads the name of the caller.',
    input: z.strictObject({ text: z.string().optional() }),
    run: async (_, { api }) => ({ answer: await readName(api), data: {} }),
  }),
]

/** An embedded service in a temporary directory, which goes with the process. */
export async function openTemporaryService(): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  return openService({ dataDir, secret: 'a secret of the benchmark', version: '0', sourceMapWorker, reportWorker })
}

const capabilities = new Capabilities({ isComplete: true })

/** The client of a token, as `tracegate serve` makes it. */
export function clientFor({ direct }: Service, token: string): Api {
  return createApi({ send: direct, baseUrl: 'http://127.0.0.1', token, via: 'mcp', capabilities })
}
