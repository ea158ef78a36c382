import type { Examples, Scenario, Step } from '@cucumber/messages'
import type { DraftCriterion } from '../../types.ts'
import { scenarioCriterion } from '../../criterion.ts'
import { LONGEST_TEXT, MOST_CRITERIA } from '../parts/limits.ts'

export interface StepTexts {
  given: string
  when: string
  then: string
}

/** The texts of the steps. And, But and * go on with what is before them. */
export function textsFrom(steps: readonly Step[]): StepTexts {
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  const texts = { given: [] as string[], when: [] as string[], then: [] as string[] }
  let part: keyof typeof texts = 'given'
  for (const step of steps) {
    part = PARTS[step.keywordType ?? ''] ?? part
    texts[part].push(stepText(step))
  }
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { given: joinTexts(texts.given), when: joinTexts(texts.when), then: joinTexts(texts.then) }
}

const PARTS: Readonly<Record<string, keyof StepTexts>> = { Context: 'given', Action: 'when', Outcome: 'then' }

function stepText({ text, docString, dataTable }: Step): string {
  if (docString !== undefined) return `${text} """${docString.content}"""`
  if (dataTable === undefined) return text
  return `${text} ${dataTable.rows.map(({ cells }) => `| ${cells.map(({ value }) => value).join(' | ')} |`).join(' ')}`
}

/** The texts as one, up to the length of a criterion. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter(Boolean).join('; ').slice(0, LONGEST_TEXT)
}

/** One criterion, or one for each table of examples; `background` goes into each Given. */
export function criteriaFrom(scenario: Scenario, background: string): DraftCriterion[] {
  const texts = textsFrom(scenario.steps)
  const steps = { ...texts, given: joinTexts([background, texts.given]) }
  const tables = scenario.examples.filter(({ tableHeader }) => tableHeader !== undefined)
  if (tables.length > 0) {
    return tables.slice(0, MOST_CRITERIA).map((table) => scenarioCriterion(steps, examplesText(table)))
  }
  return scenario.steps.length > 0 ? [scenarioCriterion(steps)] : []
}

/** The name of a table of examples, its parameters and its rows, as many as fit. */
function examplesText({ name, tableHeader, tableBody }: Examples): string {
  const parameters = tableHeader?.cells.map(({ value }) => value).join(', ') ?? ''
  const rows = tableBody.map(({ cells }) => cells.map(({ value }) => value).join(', '))
  const title = `${name || 'Examples'} (${parameters})`
  const kept: string[] = []
  let length = title.length + MORE_ROWS
  for (const row of rows) {
    length += row.length + 2
    if (length > LONGEST_TEXT) break
    kept.push(row)
  }
  const more = rows.length - kept.length
  return `${title}: ${kept.join('; ')}${more > 0 ? `; and ${String(more)} more rows` : ''}`.slice(0, LONGEST_TEXT)
}

/** Room for "; and 1000000 more rows". */
const MORE_ROWS = 32
