import type { Config } from '../../config.ts'
import { answerOpening } from '../../mcp/opening/answer-opening.ts'
import { createAnswers } from '../../mcp/opening/answers.ts'
import type { Io } from '../support/io.ts'

/**
 * `tracegate stdio`: MCP on stdin and stdout until one of them ends. The lists that a client reads at the start are answered
 * before the server is loaded, which anything else that it sends starts (decision 071).
 */
export async function run(config: Config, io: Io): Promise<number> {
  const { stdin, stdout } = io
  const closed = new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve)
    // Nobody reads the answers any more.
    stdout.once('error', () => resolve())
  })
  const ended = Promise.race([closed, io.stopRequested()])
  const { toolsets, readOnly, product } = config
  const prepared = await io.lists.read()
  const answered =
    prepared === undefined
      ? new Set<never>()
      : await answerOpening({
          stdin,
          stdout,
          ended,
          answer: createAnswers(prepared, { toolsets, readOnly, product, local: true }),
        })
  if (answered !== undefined) {
    const { serve } = await import('./serve.ts')
    await serve(config, io, { answered, ended })
  }
  if (prepared === undefined) await io.lists.keep()
  return 0
}
