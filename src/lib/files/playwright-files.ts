import { posix } from 'node:path'
import * as z from 'zod'
import { slashed } from './slashed.ts'

const Config = z.object({
  rootDir: z.string().nullish().catch(null),
  configFile: z.string().nullish().catch(null),
  projects: z.array(z.unknown()).nullish().catch(null),
})
const Project = z.object({ outputDir: z.string() })

/**
 * Returns a function that makes the files of specs relative to the project. Playwright writes them relative to
 * `rootDir`, which is `testDir` when the configuration names one: `cart.spec.ts` for `e2e/cart.spec.ts` in the
 * repository. The project folder holds the configuration file, or is a folder above it with package.json, which the
 * default `outputDir` reveals. Files outside the project stay absolute; without a configuration file paths stay
 * unchanged.
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

/** Folders that may be the project folder. */
function projectFolders(config: z.output<typeof Config> | undefined): string[] {
  const outputs = (config?.projects ?? []).flatMap((project) => Project.safeParse(project).data?.outputDir ?? [])
  const homes = outputs.map(slashed).filter((folder) => posix.basename(folder) === 'test-results')
  return [slashed(config?.configFile ?? ''), ...homes].map((path) => posix.dirname(path))
}

/** `root` relative to the outermost of the folders that contain it. */
function testFolder(root: string, homes: readonly string[]): string {
  const holding = homes.filter((home) => home.length > 1 && (root === home || root.startsWith(`${home}/`)))
  const widest = holding.reduce((least, home) => Math.min(least, home.length), root.length)
  return root.slice(widest + 1)
}
