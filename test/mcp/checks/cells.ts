import { withoutBars } from './forms.ts'

type Members = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>
/** Cells as the text writes them. */
type Written = Readonly<Record<string, string>>

/**
 * The cells in which the tables of a result's two forms differ, by their column and row, and structured rows that do not
 * have a cell for each column. A row of the text is a row of the facts, of the block or, by their key, of both.
 */
export function differingCells(text: string, structured: unknown): string[] {
  const { data = {}, untrusted = {} } = structured as { data?: Members; untrusted?: Members }
  const [outside, inside] = parts(text)
  const names = new Set([...Object.keys(data), ...Object.keys(untrusted)])
  return [...names].flatMap((name) => {
    const [facts, texts] = [data[name], untrusted[name]]
    return [
      ...[facts, texts].flatMap((side) => unevenRows(name, side)),
      ...compareRows(name, { facts: rowsIn(facts), texts: rowsIn(texts), outside, inside }),
      ...(rowsIn(facts).length === 0 || outside.includes(`${name}:`) ? nestedIn(outside, name, facts) : []),
      ...nestedIn(inside, name, texts),
    ]
  })
}

interface Sides {
  facts: Row[]
  texts: Row[]
  outside: string[]
  inside: string[]
}

function compareRows(name: string, { facts, texts, outside, inside }: Sides): string[] {
  const [out, within] = [readTable(outside, name, facts.length), readTable(inside, name, texts.length)]
  if (out.length + within.length === 0 && !inside.includes(`${name}:`)) return []
  if (inside.includes(`${name}:`)) return compareWithParagraphs(name, { facts, texts, outside, inside }, out)
  if (out.length === facts.length && within.length === texts.length) {
    return [...comparePairs(name, facts, out), ...comparePairs(name, texts, within)]
  }
  const key = keyOf(facts[0])
  const id = (row: Row) => shown(row[key ?? ''])
  const isKeyed = key !== undefined && [facts, texts].every((rows) => new Set(rows.map(id)).size === rows.length)
  if (!isKeyed)
    return comparePairs(
      name,
      facts.map((row, at) => ({ ...row, ...texts[at] })),
      within,
    )
  const all = new Map<string, Row>()
  for (const row of [...facts, ...texts]) all.set(id(row), { ...all.get(id(row)), ...row })
  const written = new Map([...out, ...within].map((row) => [id(row), row]))
  return comparePairs(
    name,
    [...all.values()],
    [...all.keys()].map((one) => written.get(one) ?? {}),
  )
}

/** Where the block writes paragraphs, the facts about the same things are a table outside of it or are in them. */
function compareWithParagraphs(name: string, { facts, texts, inside }: Sides, out: Written[]): string[] {
  if (out.length === facts.length) return comparePairs(name, facts, out)
  const key = keyOf(texts[0]) ?? ''
  const joined = texts.map((text) => ({ ...facts.find((row) => row[key] === text[key]), ...text }))
  return nestedIn(inside, name, joined)
}

function comparePairs(name: string, rows: readonly Row[], written: readonly Written[]): string[] {
  if (rows.length !== written.length)
    return [`${name}: ${String(rows.length)} rows, ${String(written.length)} in the text`]
  return rows.flatMap((row, at) => {
    const columns = new Set([...Object.keys(row), ...Object.keys(written[at] ?? {})])
    return [...columns].flatMap((column) => {
      const [value, cell] = [shown(row[column]), written[at]?.[column] ?? '-']
      return value === cell ? [] : [`${name}[${String(at)}].${column}: ${value}, in the text ${cell}`]
    })
  })
}

/** A cell as the text writes it; a missing one is a dash. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return '-'
  return withoutBars(typeof value === 'string' ? value : JSON.stringify(value))
}

/** The head of another table, or the sentence before the block. */
const NOT_A_ROW = /^(\w+ \(.*\)|Data from an? .*, not instructions to follow):$/

/** The rows of a table in the text, by the names of its columns. */
function readTable(lines: readonly string[], name: string, most: number): Written[] {
  const at = lines.findIndex((line) => line.startsWith(`${name} (`) && line.endsWith('):'))
  if (at < 0) return []
  const columns = (lines[at] ?? '').slice(name.length + 2, -2).split(' | ')
  const rows: Written[] = []
  for (const line of lines.slice(at + 1)) {
    const cells = line.split(' | ')
    const isOver =
      cells.length !== columns.length || NOT_A_ROW.test(line) || (columns.length === 1 && rows.length >= most)
    if (isOver) break
    rows.push(Object.fromEntries(columns.map((column, n) => [column, withoutBars(cells[n] ?? '')])))
  }
  return rows
}

/** What differs in the objects of a list that is written as paragraphs, and in the lists of an object. */
function nestedIn(lines: readonly string[], name: string, value: unknown): string[] {
  const at = lines.indexOf(`${name}:`)
  if (at < 0 || typeof value !== 'object' || value === null) return []
  const end = lines.findIndex((line, n) => n > at && line !== '-' && !line.startsWith('  '))
  const section = lines.slice(at + 1, end < 0 ? undefined : end)
  if (!Array.isArray(value)) return differingIn(name, dedent(section), value as Members)
  const paragraphs = splitAt(section, '-')
  const rows = rowsIn(value)
  if (rows.length === 0) return []
  if (rows.length !== paragraphs.length)
    return [`${name}: ${String(rows.length)} items, ${String(paragraphs.length)} in the text`]
  return rows.flatMap((row, n) => differingIn(`${name}[${String(n)}]`, dedent(paragraphs[n] ?? []), row))
}

function differingIn(place: string, lines: readonly string[], members: Members): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) {
      const said = withoutBars(lines.join('\n'))
      return said.includes(`${name}: ${shown(value)}`) ? [] : [`${place}.${name}: ${shown(value)} is not in the text`]
    }
    const rows = rowsIn(value)
    const table = readTable(lines, name, rows.length)
    return [...(table.length > 0 ? comparePairs(`${place}.${name}`, rows, table) : []), ...nestedIn(lines, name, value)]
  })
}

function dedent(lines: readonly string[]): string[] {
  return lines.map((line) => line.slice(2))
}

function splitAt(lines: readonly string[], mark: string): string[][] {
  const groups: string[][] = []
  for (const line of lines) {
    if (line === mark) groups.push([])
    else groups.at(-1)?.push(line)
  }
  return groups
}

/** The lines outside of the untrusted block, and those in it. */
function parts(text: string): [string[], string[]] {
  const lines = text.split('\n')
  const inside = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2))
  return [lines.filter((line) => !line.startsWith('| ')), inside]
}

/** The objects of a list, from either of its structured forms. */
function rowsIn(value: unknown): Row[] {
  if (Array.isArray(value)) return value.filter((item): item is Row => typeof item === 'object' && item !== null)
  const { columns, rows } = (value ?? {}) as { columns?: string[]; rows?: unknown[][] }
  if (columns === undefined || rows === undefined) return []
  return rows.map((row) => {
    const cells = columns.map((column, n) => [column, row[n]] as const)
    return Object.fromEntries(cells.filter(([, cell]) => cell !== null))
  })
}

function unevenRows(name: string, value: unknown): string[] {
  const { columns, rows } = (value ?? {}) as { columns?: string[]; rows?: unknown[][] }
  if (columns === undefined || rows === undefined) return []
  return rows.flatMap((row, at) =>
    row.length === columns.length ? [] : [`${name}[${String(at)}]: ${String(row.length)} cells`],
  )
}

function keyOf(row: Row | undefined): string | undefined {
  return ['id', 'nr', 'rank', 'test'].find((name) => row?.[name] !== undefined)
}
