import { fileFinder } from '../../lib/files/playwright-files.ts'
import { slashed } from '../../lib/files/slashed.ts'
import { isObject } from '../../lib/objects.ts'

/** How much of a text is looked through for paths, and how many of them are looked up. */
const LOOKED_THROUGH = 1_000_000
const MOST_PATHS = 20

/** Members of test reports that hold the path of a test file, in XML, JSON and TAP; a class name is one where there is no other. */
const PLACES =
  /\b(file|filepath|file_path|filename|location|classname|configfile)["']?\s*[=:]\s*(?:"([^"\n]{1,300})"|'([^'\n]{1,300})')/gi
/** A test file in the JSON of Jest and Vitest, which name whole paths. */
const WHOLE_NAMES = /"name"\s*:\s*"((?:\/|[a-z]:|\\\\)[^"\n]{1,300}\.\w{1,6})"/gi
/** The suites of XML: those of jest-junit may be called as the file. */
const SUITES = /<testsuite\b[^>]{0,500}?\sname="([^"\n]{1,300})"/g
/** The outermost subtests of TAP, which are files where a runner joins the output of several. */
const SUBTESTS = /^(?:# Subtest: |(?:not )?ok \d+ - )([^\n#{]{1,300})/gm

const RELATIVE = /^(?!\/|[a-z]:|~|\.\.)[^\t\r\n<>:]*[^\s<>:/\\.]\.\w{1,6}$/i
const WHOLE = /^(?:\/|[a-z]:[\\/]|\\\\).*[^\s<>:/\\.]\.\w{1,6}$/i
const SCRIPT = /^[^\s<>]+\.(?:[cm]?[jt]sx?|t|py|rb|sh|bats|pl)$/

/**
 * The first paths of test files in a report, relative or whole, as the service reads them: those that are given as files, else
 * suites that are called as files, else classes. Of a run that lists no test, the configuration of Playwright.
 */
export function readReportPaths(report: string): string[] {
  const text = report.slice(0, LOOKED_THROUGH)
  const { relatives, wholes, classes, configs } = readPlaces(text)
  for (const [, path = ''] of text.matchAll(WHOLE_NAMES)) wholes.add(path.replaceAll('\\\\', '\\'))
  const found = [relatives, wholes, readTitles(text), classes, configs].find(({ size }) => size > 0)
  return [...(found ?? [])].slice(0, MOST_PATHS)
}

/** Whether a report is of Playwright's `junit` reporter, by the order of its attributes. */
export function isJunitOfPlaywright(report: string): boolean {
  return PLAYWRIGHT_SUITE.test(report.slice(0, LOOKED_THROUGH))
}

const PLAYWRIGHT_SUITE =
  /<testsuite name="[^"<]*" timestamp="[^"<]*" hostname="[^"<]*" tests="\d+" failures="\d+" skipped="\d+" time="[^"<]*" errors="/

function readPlaces(text: string) {
  const isXml = text.trimStart().startsWith('<')
  const isPytest = /<testsuite\b[^>]*\bname=["']pytest["']/.test(text.slice(0, 4000))
  const readPath = pathReader(text)
  const [relatives, wholes] = [new Set<string>(), new Set<string>()]
  const [classes, configs] = [new Set<string>(), new Set<string>()]
  for (const [, member = '', quoted = '', written = quoted] of text.matchAll(PLACES)) {
    const place = isXml ? unescaped(written) : written.replaceAll('\\\\', '\\').replace(/(?::\d+){1,2}$/, '')
    const isClass = /^classname$/i.test(member)
    const isConfig = /^configfile$/i.test(member)
    const path = isPytest && isClass ? modulePath(place) : isConfig ? place : readPath(place)
    if (RELATIVE.test(path)) (isClass ? classes : isConfig ? configs : relatives).add(path.replaceAll('\\', '/'))
    else if (WHOLE.test(path) && !isClass) (isConfig ? configs : wholes).add(path)
    if (relatives.size >= MOST_PATHS) break
  }
  return { relatives, wholes, classes, configs }
}

function readTitles(text: string): Set<string> {
  const isXml = text.trimStart().startsWith('<')
  const titles = [...text.matchAll(isXml ? SUITES : SUBTESTS)].map(([, title = '']) =>
    isXml ? unescaped(title) : title,
  )
  return new Set(titles.map((title) => slashed(title)).filter((title) => SCRIPT.test(title)))
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

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')
}
