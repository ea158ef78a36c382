import { judge } from './judge.ts'
import type { Results } from './suite.ts'
import { valueText } from './table.ts'

/** What `README.md` shows of the results: a line for each figure that has a headline. */
export function headlines(results: Results): string {
  const figures = Object.values(results).flatMap(({ tables }) => tables.flatMap(judge))
  const lines = figures.flatMap((figure) => {
    if (figure.headline === undefined) return []
    const compared = figure.against === undefined ? '' : `, ${valueText('ratio', figure)}`
    return [`- ${figure.headline}: ${valueText('median', figure)}${compared}`]
  })
  return lines.join('\n')
}
