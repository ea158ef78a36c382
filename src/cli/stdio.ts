import type { Config } from '../config.ts'
import { createLog, stackOf } from '../log.ts'
import { serveMcpStdio } from '../mcp/stdio.ts'
import { version } from '../version.ts'
import { apiOf, openBackend, requireBuilt, type Backend } from './backend.ts'
import { stopRequested } from './stop.ts'

/** `tracegate stdio`: MCP on stdin and stdout until stdin ends. The service is opened at the first tool call. */
export async function run(config: Config): Promise<number> {
  requireBuilt(config)
  const log = createLog(config.logLevel)
  let opening: Promise<Backend> | undefined
  const { toolsets, readOnly, confirm, product } = config
  const handle = serveMcpStdio({
    async openApi() {
      opening = openBackend(config, { log, onProgress: (message) => log({ level: 'info', message }) })
      const backend = await opening
      return apiOf(backend, backend.token ?? '')
    },
    options: { toolsets, readOnly, confirm, product },
    version,
    onError: (error) => log({ level: 'error', message: 'MCP failure', error: stackOf(error) }),
  })
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
  })
  await Promise.race([ended, stopRequested()])
  await handle.close()
  await opening?.then(
    (backend) => backend.close(),
    () => undefined,
  )
  return 0
}
