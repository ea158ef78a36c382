import { dirname, relative, resolve, sep } from 'node:path'
import { fileFinder } from '../../lib/files/playwright-files.ts'
import { isObject } from '../../lib/objects.ts'

/** How much of a text is looked through for paths, and how many of them are looked up. */
const LOOKED_THROUGH = 1_000_000
const MOST_PATHS = 20

/** Members of test reports that hold the path of a test file, in XML and JSON; a class name is one where there is no other. */
const PLACES = /\b(file|filepath|file_path|classname)["']?\s*[=:]\s*["']([^"'\n]{1,300})["']/gi
/** A test file in the JSON of Jest and Vitest, which name whole paths. */
const WHOLE = /"name"\s*:\s*"((?:\/|[a-z]:)[^"\n]{1,300}\.\w{1,6})"/gi
const RELATIVE = /^(?!\/|[a-z]:|~|\.\.)[^\s<>:]*[^\s<>:/\\.]\.\w{1,6}$/i

/**
 * The folder of the repository that a report is of, relative to `root` and with `/`: the nearest one around the report in which
 * more than half of its test files exist. Relative paths in it are of that folder. '' where that is the root itself or none:
 * each package of a repository may have reports of its own, and only the files tell.
 */
export async function findPathFolder(
  report: string,
  { file, root, exists }: { file: string; root: string; exists(this: void, path: string): Promise<boolean> },
): Promise<string> {
  const text = report.slice(0, LOOKED_THROUGH)
  const relatives = relativePaths(text)
  const paths = relatives.length > 0 ? relatives : wholePaths(text)
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

function wholePaths(text: string): string[] {
  const paths = new Set<string>()
  for (const [, path = ''] of text.matchAll(WHOLE))
    if (paths.size < MOST_PATHS) paths.add(path.replaceAll('\\\\', '\\'))
  return [...paths]
}

function relativePaths(text: string): string[] {
  const isPytest = /<testsuite\b[^>]*\bname=["']pytest["']/.test(text.slice(0, 4000))
  const readPath = pathReader(text)
  const [files, classes] = [new Set<string>(), new Set<string>()]
  for (const [, member = '', written = ''] of text.matchAll(PLACES)) {
    const isClass = /^classname$/i.test(member)
    const path = isPytest && isClass ? modulePath(written) : readPath(written)
    if (RELATIVE.test(path)) (isClass ? classes : files).add(path.replaceAll('\\', '/'))
    if (files.size >= MOST_PATHS) break
  }
  return [...(files.size > 0 ? files : classes)].slice(0, MOST_PATHS)
}

/** Returns a function that reads a path as the service does: of Playwright's JSON they are relative to the folder of the specs. */
function pathReader(text: string): (written: string) => string {
  const asWritten = (written: string) => written
  if (!/^\s*\{\s*"config"\s*:/.test(text)) return asWritten
  try {
    const head: unknown = JSON.parse(`${text.slice(0, text.indexOf('"suites"')).replace(/,\s*$/, '')}}`)
    return fileFinder(isObject(head) ? head['config'] : undefined)
  } catch {
    return asWritten
  }
}

/** `tests/test_cart.py` of `tests.test_cart.TestCart`: modules begin with a small letter. */
function modulePath(name: string): string {
  const parts = name.split('.')
  const first = parts.findIndex((part) => /^_*[A-Z]/.test(part))
  return `${parts.slice(0, first === -1 ? undefined : first).join('/')}.py`
}

function isBelow(folder: string, root: string): boolean {
  const path = relative(root, folder)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !/^(?:[a-z]:|\/)/i.test(path)
}
