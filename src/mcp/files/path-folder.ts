import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isJunitOfPlaywright, readReportPaths } from './report-paths.ts'

/** The files of the machine, as far as they may be read. */
interface Files {
  exists(this: void, path: string): Promise<boolean>
  /** The text of a small file; '' where it cannot be read. */
  read(this: void, path: string): Promise<string>
}

/**
 * The folder of the repository that a report is of, relative to `root` and with `/`: the nearest one around the report in which
 * more than half of its test files exist, or the module of a report of classes. Relative paths in it are of that folder. '' where
 * that is the root itself or none: each package of a repository may have reports of its own, and only the files tell.
 */
export async function findPathFolder(
  report: string,
  { file, root, ...files }: { file: string; root: string } & Files,
): Promise<string> {
  const isOfPlaywright = isJunitOfPlaywright(report)
  const folders = foldersAround(file, root)
  for (const paths of readReportPaths(report)) {
    for (const around of folders) {
      const below = isOfPlaywright ? await testFolders(around, files) : []
      for (const folder of [around, ...below]) if (await hasMost(folder, paths, files)) return pathIn(root, folder)
    }
    if (await hasMost(root, paths, files)) return ''
  }
  return OF_CLASSES.test(basename(file)) ? moduleFolder(folders, root, files) : ''
}

/**
 * The folders below the root that a report may be of, the likeliest first: those around it, and those around the place that it
 * has in an output folder, as `packages/cart` of `reports/packages/cart/junit.xml`.
 */
function foldersAround(file: string, root: string): string[] {
  const parts = (isBelow(file, root) ? relative(root, dirname(file)) : dirname(file)).split(sep).filter(Boolean)
  const folders = new Set<string>()
  for (const first of parts.keys())
    for (let end = parts.length; end > first; end -= 1) folders.add(join(root, ...parts.slice(first, end)))
  return [...folders]
}

/** What Surefire, Gradle and Ant call a report: they name classes and no file. */
const OF_CLASSES = /^TEST-.+\.xml$/i
const MODULES = ['pom.xml', 'build.gradle', 'build.gradle.kts']

/** The first module of Maven or Gradle among the folders; '' for none. */
async function moduleFolder(folders: readonly string[], root: string, { exists }: Files): Promise<string> {
  for (const folder of folders)
    for (const name of MODULES) if (await exists(join(folder, name))) return pathIn(root, folder)
  return ''
}

async function hasMost(folder: string, paths: readonly string[], { exists }: Files): Promise<boolean> {
  const isHere = async (path: string) => {
    const whole = resolve(folder, path)
    return isBelow(whole, folder) && (await exists(whole))
  }
  const found = await Promise.all(paths.map(isHere))
  return found.filter(Boolean).length * 2 > paths.length
}

const CONFIGS = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map((ending) => `playwright.config.${ending}`)
/** The first text after the name of the option, as in `testDir: './e2e'` and in `testDir: path.join(__dirname, 'e2e')`. */
const TEST_FOLDER = /\btestDir\s*:[^'"`\n]{0,80}(['"`])([^'"`\n]{1,200})\1/g

/** The folders that a configuration of Playwright in this folder names: its JUnit has paths below them, and does not say which. */
async function testFolders(folder: string, { exists, read }: Files): Promise<string[]> {
  const folders = new Set<string>()
  for (const name of CONFIGS) {
    const path = join(folder, name)
    if (!(await exists(path))) continue
    for (const [, , named = ''] of (await read(path)).matchAll(TEST_FOLDER)) folders.add(resolve(folder, named))
  }
  return [...folders].filter((one) => isBelow(one, folder))
}

function pathIn(root: string, folder: string): string {
  return relative(root, folder).split(sep).join('/')
}

function isBelow(folder: string, root: string): boolean {
  const path = relative(root, folder)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !/^(?:[a-z]:|\/)/i.test(path)
}
