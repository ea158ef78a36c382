import { runCommand } from './cli/index.ts'
import { processIo } from './cli/support/io.ts'

process.exitCode = await runCommand(process.argv.slice(2), processIo)
