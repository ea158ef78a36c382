import { judge, type Judged } from './judge.ts'
import type { Goal, Results } from './suite.ts'
import { goalText, valueText } from './table.ts'

/** A goal, and what it was judged by. */
export interface JudgedGoal {
  suite: string
  /** The title of the table. */
  table: string
  figure: Judged
  goal: Goal
  reached: boolean
}

/** Every goal of the results, in their order. */
export function judgedGoals(results: Results): JudgedGoal[] {
  return Object.entries(results).flatMap(([suite, { tables }]) =>
    tables.flatMap((table) =>
      judge(table).flatMap((figure) =>
        (figure.goals ?? []).map((goal) => ({
          suite,
          table: table.title,
          figure,
          goal,
          reached: !figure.missed.includes(goal),
        })),
      ),
    ),
  )
}

/** `31 of 34 goals reached`. */
export function goalCount(goals: readonly JudgedGoal[]): string {
  return `${String(goals.filter(({ reached }) => reached).length)} of ${String(goals.length)} goals reached`
}

/** The cells of a table of goals: a line of titles, then one line for each. */
export function goalCells(goals: readonly JudgedGoal[]): string[][] {
  const rows = goals.map(({ suite, table, figure, goal, reached }) => [
    `${suite}: ${table}, ${figure.name}`,
    valueText(goal.of, figure),
    goalText(goal, figure),
    reached ? 'reached' : 'missed',
  ])
  return [['', 'measured', 'goal', ''], ...rows]
}
