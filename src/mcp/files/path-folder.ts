import { dirname, join, relative, resolve, sep } from 'node:path'
import { isJunitOfPlaywright, readReportPaths } from './report-paths.ts'

/** The files of the machine, as far as they may be read. */
interface Files {
  exists(this: void, path: string): Promise<boolean>
  /** The text of a small file; '' where it cannot be read. */
  read(this: void, path: string): Promise<string>
}

/**
 * The folder of the repository that a report is of, relative to `root` and with `/`: the nearest one around the report in which
 * more than half of its test files exist. Relative paths in it are of that folder. '' where that is the root itself or none:
 * each package of a repository may have reports of its own, and only the files tell.
 */
export async function findPathFolder(
  report: string,
  { file, root, ...files }: { file: string; root: string } & Files,
): Promise<string> {
  const paths = readReportPaths(report)
  if (paths.length === 0) return ''
  const isOfPlaywright = isJunitOfPlaywright(report)
  for (let around = dirname(file); isBelow(around, root); around = dirname(around)) {
    const below = isOfPlaywright ? await testFolders(around, files) : []
    for (const folder of [around, ...below])
      if (await hasMost(folder, paths, files)) return relative(root, folder).split(sep).join('/')
  }
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

function isBelow(folder: string, root: string): boolean {
  const path = relative(root, folder)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !/^(?:[a-z]:|\/)/i.test(path)
}
