import { median } from './measure.ts'
import type { Figure, Goal, Table } from './suite.ts'

/** A figure with what follows from its values. */
export interface Judged extends Figure {
  median: number
  min: number
  max: number
  /** Median of the ratios of each round; undefined without `against`. */
  ratio?: number
  missed: readonly Goal[]
}

/** Throws when a figure is compared with a row that the table does not have, or has no values. */
export function judge({ title, figures }: Table): Judged[] {
  return figures.map((figure) => {
    if (figure.values.length === 0) throw new Error(`${title}: "${figure.name}" has no values`)
    const ratio = ratioOf(figure, title, figures)
    const values = { median: median(figure.values), ...(ratio !== undefined && { ratio }) }
    const missed = (figure.goals ?? []).filter((goal) => !isReached(values[goal.of], goal))
    return { ...figure, ...values, min: Math.min(...figure.values), max: Math.max(...figure.values), missed }
  })
}

function ratioOf({ name, against, values }: Figure, title: string, figures: readonly Figure[]): number | undefined {
  if (against === undefined) return undefined
  const base = figures.find((other) => other.name === against)
  if (base === undefined)
    throw new Error(`${title}: "${name}" is compared with "${against}", which is not in the table`)
  const rounds = values.map((value, round) => value / (base.values[round] ?? median(base.values)))
  return median(rounds)
}

function isReached(value: number | undefined, { most, least }: Goal): boolean {
  if (value === undefined || Number.isNaN(value)) return false
  return (most === undefined || value <= most) && (least === undefined || value >= least)
}
