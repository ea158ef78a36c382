import type { Command } from '../config-flags.ts'
import { readConfig } from '../config-read.ts'
import { ConfigError, type Config } from '../config.ts'
import { ServiceError } from '../errors.ts'
import { plain, plainLines, unresolvedWords } from './support/finding.ts'
import type { Io } from './support/io.ts'

/** Each command is loaded only when it runs: an agent's stdio server starts without the code of the others. */
const commands: Readonly<Record<Command, () => Promise<{ run(config: Config, io: Io): Promise<number> | number }>>> = {
  stdio: () => import('./stdio/index.ts'),
  serve: () => import('./serve.ts'),
  init: () => import('./init/index.ts'),
  install: () => import('./install.ts'),
  call: () => import('./call.ts'),
  sourcemaps: () => import('./sourcemaps/index.ts'),
  report: () => import('./report/index.ts'),
  approve: () => import('./approve/index.ts'),
  review: () => import('./approve/review.ts'),
  admin: () => import('./admin/index.ts'),
  gate: () => import('./gate/index.ts'),
  confirm: () => import('./confirm.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  move: () => import('./move.ts'),
  doctor: () => import('./doctor/index.ts'),
  help: () => import('./help.ts'),
  version: () => import('./show-version.ts'),
}

/**
 * Runs one command line. Resolves to the exit code: 2 for a mistake in the call or the configuration, 1 for a failure; for
 * `gate`, whose 1 and 2 are verdicts, 3.
 */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  const [failure, mistake] = argv[0] === 'gate' ? [3, 3] : [1, 2]
  try {
    const config = readConfig(argv, io.env)
    if (config.unresolved.length > 0) io.stderr.write(`tracegate: ${plain(unresolvedWords(config.unresolved))}\n`)
    const command = await commands[config.command]()
    return await command.run(config, io)
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const line of error.message.split('\n')) io.stderr.write(`tracegate: ${plain(line)}\n`)
      return mistake
    }
    io.stderr.write(`tracegate: ${plainLines(await reason(error))}\n`)
    return failure
  }
}

/** What a user can act on; for a bug its stack. */
async function reason(error: unknown): Promise<string> {
  if (error instanceof ServiceError) return error.message
  const { fileSentence, isOfFile } = await import('./files/failures.ts')
  if (isOfFile(error)) return fileSentence(error)
  return (error instanceof Error ? error.stack : undefined) ?? 'unknown failure'
}
