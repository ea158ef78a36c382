import { isRows, type Json, type Members } from './json.ts'
import { rowKey, rowKeyName, type Content } from './shorten.ts'

/** What a row is about, in outsiders' words: the last column. */
const TITLES: ReadonlySet<string> = new Set(['title', 'name'])

/**
 * The content as it is printed: a row of facts about which outsiders wrote something is printed once, inside the block, with
 * the columns of outsiders last and the title behind those. Rows that are ours alone stay outside. Rows are joined by their
 * keys. Lists without keys stay apart, and so do those with a row that has one column on both sides, or with several rows of
 * one key unless both lists have the same keys in the same order.
 */
export function joinRows({ data, untrusted }: Content): Content {
  const joined = Object.entries(untrusted).map(([name, texts]) => [name, join(data[name], texts)] as const)
  const facts = new Map(joined.map(([name, { ours }]) => [name, ours]))
  return {
    data: Object.fromEntries(
      Object.entries(data).flatMap(([name, value]) => {
        const left = facts.has(name) ? facts.get(name) : value
        return left === undefined ? [] : [[name, left]]
      }),
    ),
    untrusted: Object.fromEntries(joined.map(([name, { theirs }]) => [name, theirs])),
  }
}

interface Joined {
  /** What stays outside the block, if anything. */
  ours: Json | undefined
  theirs: Json
}

function join(facts: Json | undefined, texts: Json): Joined {
  const apart = { ours: facts, theirs: inColumns(texts, namesIn(texts)) }
  if (!isRows(facts) || !isRows(texts)) return apart
  const key = rowKeyName(facts[0])
  const theirs = namesIn(texts).filter((name) => name !== key)
  const pairs = pair(facts, texts)
  const isTwice = pairs.some(([fact, text]) => theirs.some((name) => has(fact, name) && has(text, name)))
  if (isTwice || !pairs.some(([fact, text]) => fact !== undefined && text !== undefined)) return apart
  const left = pairs.flatMap(([fact, text]) => (text === undefined && fact !== undefined ? [fact] : []))
  const rows = pairs.flatMap(([fact, text]) => (text === undefined ? [] : [{ ...fact, ...text }]))
  const ours = namesIn(facts).filter((name) => !theirs.includes(name))
  return { ours: left.length === 0 ? undefined : left, theirs: inColumns(rows, [...ours, ...theirs]) }
}

type Pair = readonly [fact: Members | undefined, text: Members | undefined]

/** Facts and texts about the same rows; none if that is not known. */
function pair(facts: readonly Members[], texts: readonly Members[]): Pair[] {
  const [known, written] = [byKey(facts), byKey(texts)]
  if (known.size === facts.length && written.size === texts.length) {
    return [...new Set([...known.keys(), ...written.keys()])].map((key) => [known.get(key), written.get(key)])
  }
  const isSame = facts.length === texts.length && facts.every((row, at) => rowKey(row) === rowKey(texts[at]))
  return isSame && !known.has(null) ? facts.map((row, at) => [row, texts[at]]) : []
}

/** Rows by their keys; all that have none are one. */
function byKey(rows: readonly Members[]): Map<Json, Members> {
  return new Map(rows.map((row) => [rowKey(row), row]))
}

function namesIn(rows: Json): string[] {
  return isRows(rows) ? [...new Set(rows.flatMap((row) => Object.keys(row)))] : []
}

function has(row: Members | undefined, name: string): boolean {
  return row?.[name] !== undefined
}

/** Rows with their columns in this order, the title last; in a table each row has all, so that none moves to the end. */
function inColumns(rows: Json, order: readonly string[]): Json {
  if (!isRows(rows)) return rows
  const columns = order
    .toSorted((one, other) => Number(TITLES.has(one)) - Number(TITLES.has(other)))
    .filter((name) => rows.some((row) => has(row, name)))
  const isTable = !rows.some((row) => Object.values(row).some((value) => typeof value === 'object'))
  return rows.map((row) =>
    Object.fromEntries(columns.flatMap((name) => (has(row, name) || isTable ? [[name, row[name] ?? '-']] : []))),
  )
}
