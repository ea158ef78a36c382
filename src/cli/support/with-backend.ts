import type { Config } from '../../config.ts'
import { createLog } from '../../log.ts'
import { ServiceError } from '../../errors.ts'
import { openBackend, type Backend } from './backend.ts'
import { failureLine } from './failure-line.ts'
import { plain } from './finding.ts'
import type { Io } from './io.ts'

/**
 * Runs a command that prints its outcome against the service, and closes it: the log starts at warnings unless another
 * level was asked for, and progress goes to stderr. Resolves to 1 with a line on stderr when the service refuses.
 */
export async function withBackend(
  config: Config,
  io: Io,
  work: (backend: Backend) => Promise<number>,
  options: { timeoutMs?: number } = {},
): Promise<number> {
  const backend = await openBackend(config, {
    log: createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.logDestination),
    onProgress: (line) => void io.stderr.write(`${line}\n`),
    ...options,
  })
  try {
    return await work(backend)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    io.stderr.write(`tracegate: ${plain(failureLine(error))}\n`)
    return 1
  } finally {
    await backend.close()
  }
}
