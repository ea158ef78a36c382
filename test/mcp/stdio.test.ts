import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectClient, connected, eras, type Era } from './clients.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tracegate-stdio-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** A client whose server is a real child process with the embedded service. */
async function connectChild(era: Era) {
  const server = {
    command: process.execPath,
    args: [main, 'stdio', '--data', dataDir],
    env: { PATH: process.env['PATH'] ?? '', HOME: dataDir, TRACEGATE_LOG_LEVEL: 'silent' },
    stderr: 'ignore' as const,
  }
  const client = connectClient(era)
  if (client instanceof Client) await client.connect(new StdioClientTransport(server))
  else await client.connect(new OlderTransport(server))
  return connected(client, () => client.close())
}

describe.each(eras)('over stdio a client of %s', (era) => {
  test('lists tools before opening any data, then calls one', async () => {
    await using agent = await connectChild(era)
    expect((await agent.list()).map(({ name }) => name)).toContain('find_error_issues')
    expect(readdirSync(dataDir)).toEqual([])
    const { text, isError } = await agent.call('find_error_issues')
    expect(isError).toBe(false)
    expect(text).toContain('No unresolved error issues.')
    expect(readdirSync(dataDir)).not.toEqual([])
  })
})

test('the process ends with its stdin, and writes nothing but the protocol to stdout', async () => {
  const child = spawn(process.execPath, [main, 'stdio', '--data', dataDir], { stdio: ['pipe', 'pipe', 'ignore'] })
  let output = ''
  const answered = new Promise<void>((done) =>
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('\n')) done()
    }),
  )
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  child.stdin.write(`this is no JSON\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  await answered
  child.stdin.end()
  expect(await new Promise((done) => child.once('exit', done))).toBe(0)
  for (const line of output.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  expect(output).toContain('"protocolVersion":"2025-06-18"')
})
