import { dirname, relative, resolve, sep } from 'node:path'
import { readReportPaths } from './report-paths.ts'

/**
 * The folder of the repository that a report is of, relative to `root` and with `/`: the nearest one around the report in which
 * more than half of its test files exist. Relative paths in it are of that folder. '' where that is the root itself or none:
 * each package of a repository may have reports of its own, and only the files tell.
 */
export async function findPathFolder(
  report: string,
  { file, root, exists }: { file: string; root: string; exists(this: void, path: string): Promise<boolean> },
): Promise<string> {
  const paths = readReportPaths(report)
  if (paths.length === 0) return ''
  for (let folder = dirname(file); isBelow(folder, root); folder = dirname(folder)) {
    const isHere = async (path: string) => {
      const whole = resolve(folder, path)
      return isBelow(whole, folder) && (await exists(whole))
    }
    const found = await Promise.all(paths.map(isHere))
    if (found.filter(Boolean).length * 2 > paths.length) return relative(root, folder).split(sep).join('/')
  }
  return ''
}

function isBelow(folder: string, root: string): boolean {
  const path = relative(root, folder)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !/^(?:[a-z]:|\/)/i.test(path)
}
