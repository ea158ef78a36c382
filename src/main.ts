import module from 'node:module'

// Code from the cache needs no compiling, and source no removal of its types.
module.enableCompileCache()
const [{ runCommand }, { processIo }] = await Promise.all([import('./cli/index.ts'), import('./cli/support/io.ts')])

process.exitCode = await runCommand(process.argv.slice(2), processIo)
