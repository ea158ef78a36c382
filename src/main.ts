import { ConfigError, readConfig, type Config } from './config.ts'
import type { Command } from './config-flags.ts'
import { ServiceError } from './errors.ts'

/** Each command is loaded when it is asked for: an agent's stdio server starts without the code of the others. */
const commands: Readonly<Record<Command, () => Promise<{ run(config: Config): Promise<number> | number }>>> = {
  stdio: () => import('./cli/stdio.ts'),
  serve: () => import('./cli/serve.ts'),
  call: () => import('./cli/call.ts'),
  sourcemaps: () => import('./cli/sourcemaps/index.ts'),
  report: () => import('./cli/report/index.ts'),
  doctor: () => import('./cli/doctor.ts'),
  help: () => import('./cli/help.ts'),
  version: () => import('./cli/show-version.ts'),
}

/** Runs one command. Resolves to the exit code: 2 for a mistake of the person who called, 1 for a failure. */
async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const config = readConfig(argv, env)
    const command = await commands[config.command]()
    return await command.run(config)
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const line of error.message.split('\n')) process.stderr.write(`tracegate: ${line}\n`)
      return 2
    }
    const told =
      error instanceof ServiceError ? error.message : error instanceof Error ? error.stack : 'unknown failure'
    process.stderr.write(`tracegate: ${told ?? 'unknown failure'}\n`)
    return 1
  }
}

process.exitCode = await main(process.argv.slice(2), process.env)
