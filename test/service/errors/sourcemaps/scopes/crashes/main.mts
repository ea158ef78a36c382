import { hierarchy, scenarios } from './scenarios.mts'

/** What V8 knows of a frame, undecorated. */
export interface RawFrame {
  file: string
  line: number
  column: number
  type: string
  function: string
  isConstructor: boolean
}

Error.stackTraceLimit = 50
Error.prepareStackTrace = (_error, sites) =>
  sites.map((site) => ({
    file: site.getFileName() ?? '',
    line: site.getLineNumber() ?? 0,
    column: site.getColumnNumber() ?? 0,
    type: site.getTypeName() ?? '',
    function: site.getFunctionName() ?? '',
    isConstructor: site.isConstructor(),
  }))

/** What the run throws, rejects with, or leaves to a callback to throw; undefined when it does not crash. */
async function crash(run: () => unknown): Promise<unknown> {
  let tooLate: NodeJS.Timeout | undefined
  const uncaught = new Promise<unknown>((resolve) => {
    process.once('uncaughtException', resolve)
    tooLate = setTimeout(resolve, 2000)
  })
  try {
    await run()
    return await uncaught
  } catch (error) {
    return error
  } finally {
    clearTimeout(tooLate)
    process.removeAllListeners('uncaughtException')
  }
}

const crashes: Record<string, unknown> = {}
for (const [name, run] of Object.entries(scenarios)) {
  const error = await crash(run)
  crashes[name] = error instanceof Error ? error.stack : []
}

/** What subclasses inherit: V8 prints the class of the instance, the source has the method in the one above. */
const classes: Record<string, { parent: string; members: string[] }> = {}
for (const Kind of hierarchy) {
  const parent = (Object.getPrototypeOf(Kind) as { name: string }).name
  classes[Kind.name] = { parent, members: Object.getOwnPropertyNames(Kind.prototype) }
}
console.log(JSON.stringify({ crashes, classes }))
