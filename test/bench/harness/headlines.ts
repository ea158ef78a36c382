import { judge } from './judge.ts'
import type { Results } from './suite.ts'
import { valueText } from './table.ts'

/** The figures in `README.md`: between a marker, and one that ends it. */
const MEASURED = /^(<!-- measured -->\n)[^]*?(?=<!-- end of measured -->$)/m

/** The text of `README.md` with the figures of these results: a line for each that has a headline. */
export function withHeadlines(readme: string, results: Results): string {
  return readme.replace(MEASURED, (_, start: string) => `${start}\n${headlines(results)}\n\n`)
}

function headlines(results: Results): string {
  const figures = Object.values(results).flatMap(({ tables }) => tables.flatMap(judge))
  const lines = figures.flatMap((figure) => {
    if (figure.headline === undefined) return []
    const compared = figure.against === undefined ? '' : `, ${valueText('ratio', figure)}`
    return [`- ${figure.headline}: ${valueText('median', figure)}${compared}`]
  })
  return lines.join('\n')
}
