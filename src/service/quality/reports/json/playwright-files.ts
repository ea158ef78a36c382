import { posix } from 'node:path'
import * as z from 'zod'
import { slashed } from '../model/text.ts'

const Config = z.object({
  rootDir: z.string().nullish().catch(null),
  configFile: z.string().nullish().catch(null),
  projects: z.array(z.unknown()).nullish().catch(null),
})
const Project = z.object({ outputDir: z.string() })

/**
 * Gives the files of specs relative to the project. Playwright writes them relative to `rootDir`, which is `testDir` when
 * the configuration names one: `cart.spec.ts` of a project whose repository has `e2e/cart.spec.ts`. The project's folder
 * is the one of the configuration file, or above it the one of package.json, which shows in the default `outputDir`. What
 * lies outside of it stays absolute; without a configuration file paths stay as they are.
 */
export function fileFinder(config: unknown): (file: string) => string {
  const { data } = Config.safeParse(config)
  const root = slashed(data?.rootDir ?? '').replace(/\/+$/, '')
  const below = root === '' ? '' : testFolder(root, projectFolders(data))
  return (file) => {
    const path = slashed(file)
    if (path === '' || /^(?:\/|[a-z]:\/)/i.test(path)) return path
    const relative = posix.normalize(below === '' ? path : `${below}/${path}`)
    return relative.startsWith('../') && root !== '' ? posix.normalize(`${root}/${path}`) : relative
  }
}

/** Folders that may be the project's. */
function projectFolders(config: z.output<typeof Config> | undefined): string[] {
  const outputs = (config?.projects ?? []).flatMap((project) => Project.safeParse(project).data?.outputDir ?? [])
  const homes = outputs.map(slashed).filter((folder) => posix.basename(folder) === 'test-results')
  return [slashed(config?.configFile ?? ''), ...homes].map((path) => posix.dirname(path))
}

/** `root` relative to the widest of the folders that hold it. */
function testFolder(root: string, homes: readonly string[]): string {
  const holding = homes.filter((home) => home.length > 1 && (root === home || root.startsWith(`${home}/`)))
  const widest = holding.reduce((least, home) => Math.min(least, home.length), root.length)
  return root.slice(widest + 1)
}
