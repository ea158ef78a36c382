import { join } from 'node:path'
import { build } from '../../src/dev/build.ts'
import { onceInRun } from '../once-a-run.ts'
import { serve, type ServedProcess, type ServeOptions } from '../serve.ts'

/** The folder of the published package, built once in a run. */
export function publishedPackage(): Promise<string> {
  return onceInRun('package', build)
}

/**
 * The command that users install. A process of it starts in less than half of the time that one of the sources takes, which
 * are hundreds of files; `commands.test.ts` and `npm.test.ts` start those.
 */
export async function publishedCommand(): Promise<string> {
  return join(await publishedPackage(), 'tracegate.js')
}

/** `serve` of the published package. */
export async function servePublished(options: Omit<ServeOptions, 'main'> = {}): Promise<ServedProcess> {
  return serve({ ...options, main: await publishedCommand() })
}
