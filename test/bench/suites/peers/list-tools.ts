import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import * as z from 'zod'
import { bareEnvironment } from '../../../serve.ts'
import { mostResidentMb } from '../../support/process-memory.ts'

/** What a server took until it had listed its tools. */
export interface Listed {
  ms: number
  /** The most memory that was resident in its process until then, in MB. */
  mb: number
  tools: number
  /** Name, description and input schema of every tool, in tokens of o200k. */
  tokens: number
}

const clientInfo = { name: 'bench', version: '1' }
const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
}

const Answer = z.object({
  id: z.int().optional(),
  error: z.object({ message: z.string() }).optional(),
  result: z
    .object({
      tools: z
        .array(z.object({ name: z.string(), description: z.string().default(''), inputSchema: z.unknown() }))
        .optional(),
    })
    .optional(),
})

/** Starts a server over stdio and asks for its tools; throws what it says instead, or that it ended. */
export async function listTools(command: readonly string[]): Promise<Listed> {
  const start = performance.now()
  const child = spawn(process.execPath, command, { env: bareEnvironment(), stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise((done) => child.once('exit', done))
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  try {
    say(initialize)
    for await (const line of createInterface(child.stdout)) {
      const { id, error, result } = Answer.parse(JSON.parse(line))
      if (error !== undefined) throw new Error(error.message)
      if (id === 2 && result?.tools !== undefined) {
        const ms = performance.now() - start
        const texts = result.tools.map((one) => `${one.name}\n${one.description}\n${JSON.stringify(one.inputSchema)}`)
        const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
        return { ms, mb: mostResidentMb(child.pid), tools: texts.length, tokens }
      }
      if (id !== 1) continue
      say({ method: 'notifications/initialized' })
      say({ id: 2, method: 'tools/list' })
    }
    throw new Error('it ended before it listed its tools')
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
