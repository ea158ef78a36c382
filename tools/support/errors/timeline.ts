import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'

interface Run {
  from: string
  to: string
  count: number
  isHigh: boolean
}

const DAY_MS = 86_400_000
const MOST_RUNS = 8
/** A day with more than this many times the usual count of a day with occurrences is a run of its own. */
const HIGH = 3

/** Occurrences by day of the last 30 days in one line; undefined where the deployment has no statistics. */
export async function readTimeline(issueId: string, { api, signal }: Context): Promise<string | undefined> {
  try {
    const { stats } = await api.getIssueStats({ id: issueId, period: '30d' }, { signal })
    return foldDays(stats.series ?? [])
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

/**
 * `2026-11-08 3, 11-15..16 40, 11-22 5`: days in a row are one run and days without occurrences are left out; a day far
 * above the usual one begins a run, so that two outages stay two. Of more than 8 runs those with the smallest gap between
 * them are joined. Undefined without occurrences.
 */
export function foldDays(
  series: readonly { at?: string | undefined; count?: number | undefined }[],
): string | undefined {
  const days = new Map<string, number>()
  for (const { at = '', count = 0 } of series) {
    const day = at.slice(0, 10)
    if (count > 0 && day !== '') days.set(day, (days.get(day) ?? 0) + count)
  }
  const usual = [...days.values()].toSorted((one, other) => one - other)[Math.floor(days.size / 2)] ?? 0
  const runs: Run[] = []
  for (const [day, count] of [...days].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const isHigh = days.size > 2 && count > HIGH * usual
    const last = runs.at(-1)
    if (last !== undefined && gap(last.to, day) === 1 && last.isHigh === isHigh) {
      last.to = day
      last.count += count
    } else runs.push({ from: day, to: day, count, isHigh })
  }
  while (runs.length > MOST_RUNS) joinNearest(runs)
  return runs.length === 0 ? undefined : runs.map(describeRun).join(', ')
}

function gap(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

function joinNearest(runs: Run[]): void {
  const gaps = runs.slice(1).map((run, index) => gap(runs[index]?.to ?? '', run.from))
  const nearest = gaps.indexOf(Math.min(...gaps))
  const [left, right] = [runs[nearest], runs[nearest + 1]]
  if (left === undefined || right === undefined) return
  runs.splice(nearest, 2, { from: left.from, to: right.to, count: left.count + right.count, isHigh: false })
}

/** The year is said once. */
function describeRun({ from, to, count }: Run, index: number): string {
  const end = from.slice(0, 7) === to.slice(0, 7) ? to.slice(8) : to.slice(5)
  return `${index === 0 ? from : from.slice(5)}${from === to ? '' : `..${end}`} ${String(count)}`
}
