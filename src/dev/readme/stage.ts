import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { runCommand } from '../../cli/index.ts'
import { reportWorker, sourceMapWorker } from '../../cli/support/workers.ts'
import { createApi } from '../../client/client.ts'
import { createUpload } from '../../client/upload.ts'
import { createDoor } from '../../http/door.ts'
import { createLocalFiles } from '../../mcp/files/local-files.ts'
import { buildServer } from '../../mcp/server.ts'
import { openService } from '../../service/index.ts'
import { systemPlatform } from '../../service/shared/platform.ts'
import { version } from '../../version.ts'
import { checkOutShop } from '../sample-recorder/quality/repository.ts'

/** When the transcripts happen: times and "in the last 7 days" are the same in every run. */
export const now = Date.parse('2026-11-21T12:00:00Z')

const root = resolve(import.meta.dirname, '../../..')

/** Where the calls of the transcripts are made: a freshly loaded sample, and a checkout of the shop as working directory. */
export interface Stage extends AsyncDisposable {
  /** The shop's checkout. */
  shop: string
  /** An agent's call; resolves to the text it gets. */
  call(tool: string, args: object): Promise<string>
  /** A command line of `tracegate`, run from the root of the repository; resolves to what it prints. */
  run(args: readonly string[]): Promise<string>
}

/** Loads the sample into a temporary data directory, at the time `now`. Takes about five seconds. */
export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-transcripts-'))
  const shop = join(folder, 'shop')
  mkdirSync(shop)
  await checkOutShop(shop, 'shop@1.4.1')
  const service = await openService({
    dataDir: join(folder, 'data'),
    secret: 'a secret of the transcripts',
    version,
    sourceMapWorker,
    reportWorker,
    sample: true,
    platform: { ...systemPlatform, now: () => now },
  })
  const door = createDoor({
    mcp: () => undefined,
    service: service.direct,
    allowedHosts: ['127.0.0.1'],
    version,
    log: () => undefined,
  })
  await new Promise<void>((ready) => door.listen(0, '127.0.0.1', ready))
  const baseUrl = `http://127.0.0.1:${String((door.address() as AddressInfo).port)}`
  const api = createApi({ send: service.direct, baseUrl, token: service.token, via: 'mcp' })
  const upload = createUpload({ baseUrl, send: service.direct })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const options = { toolsets: ['default', 'agents'] as const, readOnly: false, local: true }
  const handle = serveStdio(
    () => buildServer({ api: () => api, options, version, local: createLocalFiles([shop]), upload }),
    { transport: far },
  )
  const agent = new Client({ name: 'transcripts', version }, { versionNegotiation: { mode: 'auto' } })
  await agent.connect(near)
  return {
    shop,
    async call(tool, args) {
      const { content } = await agent.callTool({ name: tool, arguments: { ...args } })
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    },
    run: (args) => runHere(args, { TRACEGATE_BASE_URL: baseUrl, TRACEGATE_API_TOKEN: service.token }),
    async [Symbol.asyncDispose]() {
      await agent.close()
      await handle.close()
      door.closeAllConnections()
      await new Promise((closed) => door.close(closed))
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a command in this process with only these settings. Throws with what it printed if it fails. */
async function runHere(args: readonly string[], settings: Record<string, string>): Promise<string> {
  const [stdout, stderr] = [new Output(), new Output()]
  const code = await runCommand(args, {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings },
    isContainer: () => false,
    stopRequested: () => new Promise<never>(() => {}),
    sleep: () => Promise.resolve(),
    lists: { read: () => Promise.resolve(undefined), keep: () => Promise.resolve() },
    startStdio: () => Promise.reject(new Error('transcripts call tools on the stage')),
  })
  if (code !== 0)
    throw new Error(`tracegate ${args.join(' ')} ended with ${String(code)}: ${stdout.text}${stderr.text}`)
  return stdout.text.replaceAll(root, '/path/to/tracegate').trimEnd()
}

/** Collects what is written to it. */
class Output extends Writable {
  text = ''

  override _write(chunk: Buffer | string, _: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
