import { bySeverity } from './severity.ts'
import { Output, type DeltaBody, type OutputBody, type PairBody } from './schema.ts'

const LISTED = 50

type Scan = Pick<OutputBody, 'scope' | 'is_whole' | 'requirements' | 'pairs'>

/** What changed since an earlier output; null when the two cannot be compared. */
export function compareScans(previous: unknown, now: Scan): DeltaBody | null {
  const parsed = Output.safeParse(previous)
  if (!parsed.success || !parsed.data.is_whole || !now.is_whole) return null
  if (scopeName(parsed.data) !== scopeName(now)) return null
  const [before, after] = [listFindings(parsed.data), listFindings(now)]
  const [pairsBefore, pairsAfter] = [new Set(parsed.data.pairs.map(pairName)), new Set(now.pairs.map(pairName))]
  const [fresh, gone] = [without(after, before), without(before, after)]
  return {
    new_findings: fresh.length,
    gone_findings: gone.length,
    new_pairs: pairsAfter.difference(pairsBefore).size,
    gone_pairs: pairsBefore.difference(pairsAfter).size,
    listed_new: fresh.slice(0, LISTED),
    listed_gone: gone.slice(0, LISTED),
  }
}

function scopeName({ scope }: Pick<OutputBody, 'scope'>): string {
  return JSON.stringify([scope.branch?.id, scope.requirement_keys])
}

/** A finding by what stays the same while its text is edited elsewhere; the severest first. */
function listFindings({ requirements }: Pick<OutputBody, 'requirements'>) {
  const found = requirements.flatMap(({ id, key, findings }) =>
    findings.map(({ rule, severity, text, words }) => ({
      severity,
      name: JSON.stringify([id, rule, text, words.toLowerCase()]),
      listed: { requirement_key: key, rule, text, words },
    })),
  )
  return new Map(found.toSorted(bySeverity).map(({ name, listed }) => [name, listed]))
}

function without<T>(some: ReadonlyMap<string, T>, others: ReadonlyMap<string, T>): T[] {
  return [...some].flatMap(([name, listed]) => (others.has(name) ? [] : [listed]))
}

function pairName({ kind, first, second }: Pick<PairBody, 'kind' | 'first' | 'second'>): string {
  return `${kind} ${first.id} ${second.id}`
}
