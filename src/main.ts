import module from 'node:module'

// Code from the cache needs no compiling, and source no removal of its types.
module.enableCompileCache()
const [{ runCommand }, { processIo }] = await Promise.all([import('./cli/index.ts'), import('./cli/support/io.ts')])

const args = process.argv.slice(2)
const LINGER_MS = 500
let unwritten: number | undefined

// Without a listener, a reader that closes its end early, as in `| head`, would crash this process.
process.stderr.on('error', () => undefined)
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const [isGate, isGone] = [args[0] === 'gate', error.code === 'EPIPE']
  if (unwritten !== undefined || (isGone && !isGate)) return
  // The 1 of `gate` is a verdict, and nobody got one.
  unwritten = isGate ? 3 : 1
  process.exitCode = unwritten
  if (!isGone) void explain(error)
})

const code = await runCommand(args, processIo)
process.exitCode = unwritten ?? code
// What a server still sends when it has stopped, such as spans to a collector that does not answer, would hold the process.
if (isServer(args[0])) void Promise.race([allRead(), processIo.stopRequested()]).then(endSoon)

/** Resolves when the system has taken all answers: until then, a slow reader still gets them. */
function allRead(): Promise<void> {
  return new Promise((resolve) => process.stdout.write('', () => resolve()))
}

function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref()
}

async function explain(error: NodeJS.ErrnoException): Promise<void> {
  const { cannotWrite } = await import('./cli/files/failures.ts')
  process.stderr.write(`tracegate: ${cannotWrite('the output', error).message}\n`)
}

function isServer(command = 'stdio'): boolean {
  return command === 'serve' || command === 'stdio' || command.startsWith('-')
}
