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
 * The first paths of test files in a report, relative or whole, as the service reads them, in lists: those that are given as
 * files, then suites that are called as files, then classes, and of a run that lists no test, the configuration of Playwright.
 * What a test printed may look like one, so a list whose files are nowhere says nothing.
 */
export function readReportPaths(report: string): string[][] {
  const text = withoutOutput(report.slice(0, LOOKED_THROUGH))
  const { relatives, wholes, classes, configs } = readPlaces(text)
  for (const [, path = ''] of text.matchAll(WHOLE_NAMES)) wholes.add(path.replaceAll('\\\\', '\\'))
  const lists = [relatives, wholes, readTitles(text), classes, configs].filter(({ size }) => size > 0)
  return lists.map((list) => [...list].slice(0, MOST_PATHS))
}

/** A report of XML without what is between its tags; a value may hold a `>`. */
function withoutOutput(text: string): string {
  if (!isXml(text)) return text
  const tags: string[] = []
  for (let start = text.indexOf('<'); start !== -1;) {
    const passed = PASSED.find(([opens]) => text.startsWith(opens, start))
    const end = passed === undefined ? tagEnd(text, start) : text.indexOf(passed[1], start)
    if (end === -1) break
    if (passed === undefined) tags.push(text.slice(start, end + 1))
    start = text.indexOf('<', end)
  }
  return tags.join('\n')
}

const PASSED = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
] as const

/** Where a tag ends; -1 where it is cut off. */
function tagEnd(text: string, start: number): number {
  let quote = ''
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (quote === '' && character === '>') return at
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
  }
  return -1
}

function isXml(text: string): boolean {
  return text.trimStart().startsWith('<')
}

/** Whether a report is of Playwright's `junit` reporter, by the order of its attributes. */
export function isJunitOfPlaywright(report: string): boolean {
  return PLAYWRIGHT_SUITE.test(report.slice(0, LOOKED_THROUGH))
}

const PLAYWRIGHT_SUITE =
  /<testsuite name="[^"<]*" timestamp="[^"<]*" hostname="[^"<]*" tests="\d+" failures="\d+" skipped="\d+" time="[^"<]*" errors="/

function readPlaces(text: string) {
  const isMarkup = isXml(text)
  const isPytest = /<testsuite\b[^>]*\bname=["']pytest["']/.test(text.slice(0, 4000))
  const readPath = pathReader(text)
  const [relatives, wholes] = [new Set<string>(), new Set<string>()]
  const [classes, configs] = [new Set<string>(), new Set<string>()]
  for (const [, member = '', quoted = '', written = quoted] of text.matchAll(PLACES)) {
    const place = isMarkup ? unescaped(written) : written.replaceAll('\\\\', '\\').replace(/(?::\d+){1,2}$/, '')
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
  const isMarkup = isXml(text)
  const titles = [...text.matchAll(isMarkup ? SUITES : SUBTESTS)].map(([, title = '']) =>
    isMarkup ? unescaped(title) : title,
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
