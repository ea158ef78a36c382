import type { Scenario, Tag } from '@cucumber/messages'
import type { Dialect } from '@cucumber/gherkin'
import { type Draft, newDraft } from '../parts/drafts.ts'
import { keysIn } from '../facts/keys.ts'
import { titleFrom } from '../facts/title.ts'
import type { LineLedger } from '../parts/ledger.ts'
import { ELEMENTS_PER_TURN, LONGEST_ELEMENT, LONGEST_STATEMENT, LONGEST_TEXT, MOST_TAGS } from '../parts/limits.ts'
import { sentenceFrom } from '../prose/steps.ts'
import { parseElement, reasonFor } from './parse.ts'
import { dialectFor, type Element, languageIn, splitElements } from './split.ts'
import { criteriaFrom, joinTexts, textsFrom } from './steps.ts'

export interface GherkinSource {
  lines: readonly string[]
  /** How many lines of the document come before them. */
  before: number
  /** Titles of the sections around them. */
  headings: readonly string[]
}

interface Sink {
  ledger: LineLedger
  drafts: Draft[]
  pause: () => Promise<void>
}

/** Reads features: each scenario is a requirement. A part with a mistake is skipped, with the line and the reason. */
export async function readGherkin(source: GherkinSource, sink: Sink): Promise<void> {
  const { lines, before } = source
  const language = languageIn(lines)
  const dialect = dialectFor(language)
  if (dialect === undefined) return skip(source, sink, 0, lines.length, reasonFor('Language not supported', before + 1))
  const elements = splitElements(lines, dialect)
  const first = elements[0]?.start ?? lines.length
  if (elements.length === 0) return skip(source, sink, 0, first, reasonFor('', before + 1 + firstText(lines)))
  markPreface(source, sink, first)
  const reader = new ElementReader(source, sink, { language, dialect })
  for (const [index, element] of elements.entries()) {
    reader.take(element)
    if (index % ELEMENTS_PER_TURN === 0) await sink.pause()
  }
}

function skip({ before }: GherkinSource, { ledger }: Sink, start: number, end: number, reason: string): void {
  ledger.skip(before + start + 1, before + end, reason)
}

function firstText(lines: readonly string[]): number {
  return Math.max(
    0,
    lines.findIndex((line) => line.trim() !== ''),
  )
}

/** Comments before the first element are context; anything else is a mistake. */
function markPreface(source: GherkinSource, sink: Sink, end: number): void {
  for (let index = 0; index < end; index += 1) {
    const line = source.before + index + 1
    if (/^\s*#/.test(source.lines[index] ?? '')) sink.ledger.context(line, line)
    else sink.ledger.skip(line, line, reasonFor('', line))
  }
}

/** What the elements of a feature or rule share. */
interface Scope {
  title: string
  tags: string[]
  /** The steps of its backgrounds, joined. */
  background: string
}

const noScope = (): Scope => ({ title: '', tags: [], background: '' })

class ElementReader {
  readonly #source: GherkinSource
  readonly #sink: Sink
  readonly #language: { language: string; dialect: Dialect }
  #feature = noScope()
  #rule: Scope | undefined

  constructor(source: GherkinSource, sink: Sink, language: { language: string; dialect: Dialect }) {
    this.#source = source
    this.#sink = sink
    this.#language = language
  }

  take(element: Element): void {
    const { lines, before } = this.#source
    if (this.#length(element) > LONGEST_ELEMENT) return this.#mistake(element, 'TOO_LONG')
    const { feature, reason } = parseElement(element, lines, { ...this.#language, before })
    if (reason !== undefined) return this.#mistake(element, reason)
    const child = feature.children[0]
    if (element.kind === 'feature') this.#startFeature(feature.name, feature.tags)
    else if (child?.rule !== undefined)
      this.#rule = { ...noScope(), title: child.rule.name, tags: tagNames(child.rule.tags) }
    else if (child?.background !== undefined) this.#addBackground(child.background.steps)
    if (child?.scenario === undefined) this.#sink.ledger.context(before + element.start + 1, before + element.end)
    else this.#scenario(element, child.scenario)
  }

  #addBackground(steps: Scenario['steps']): void {
    const { given, when, then } = textsFrom(steps)
    const scope = this.#scope
    scope.background = joinTexts([scope.background, given, when, then])
  }

  get #scope(): Scope {
    return this.#rule ?? this.#feature
  }

  #startFeature(title: string, tags: readonly Tag[]): void {
    this.#feature = { ...noScope(), title, tags: tagNames(tags) }
    this.#rule = undefined
  }

  /** Skips the element. What follows a broken feature or rule still has its name. */
  #mistake(element: Element, reason: string): void {
    skip(this.#source, this.#sink, element.start, element.end, reason)
    const line = this.#source.lines[element.keyword] ?? ''
    const title = line.slice(line.indexOf(':') + 1).trim()
    if (element.kind === 'feature') this.#startFeature(title, [])
    if (element.kind === 'rule') this.#rule = { ...noScope(), title }
  }

  #scenario(element: Element, scenario: Scenario): void {
    const { drafts, ledger } = this.#sink
    const statement = sentenceFrom(textsFrom(scenario.steps)).slice(0, LONGEST_STATEMENT)
    const tags = [...new Set([...this.#feature.tags, ...(this.#rule?.tags ?? []), ...scenarioTags(scenario)])]
    const draft = newDraft(
      {
        statement: scenario.steps.length === 0 ? scenario.name : statement,
        title: titleFrom(scenario.name || statement),
        pattern: 'PATTERN_GHERKIN',
        modality: 'MODALITY_MUST',
        confidence: 0.95,
        headings: [...this.#source.headings, this.#feature.title, this.#rule?.title ?? ''].filter(Boolean),
        quote: this.#quote(element),
        lines: this.#lines(element.start, element.keyword),
      },
      {
        tags: tags.filter((tag) => keysIn(tag).length === 0).slice(0, MOST_TAGS),
        keyText: [...tags, scenario.name, statement].join(' '),
        criteria: criteriaFrom(scenario, joinTexts([this.#feature.background, this.#rule?.background ?? ''])),
      },
    )
    if (draft.title === '') return ledger.context(draft.lines.start, draft.lines.end)
    draft.criterionLines.push(this.#lines(element.keyword, element.end - 1))
    drafts.push(draft)
  }

  #lines(start: number, end: number): { start: number; end: number } {
    return { start: this.#source.before + start + 1, end: this.#source.before + end + 1 }
  }

  #length({ start, end }: Element): number {
    let length = 0
    for (let index = start; index < end; index += 1) length += this.#source.lines[index]?.length ?? 0
    return length
  }

  #quote({ start, end }: Element): string {
    const text = this.#source.lines.slice(start, end).join('\n')
    return text.trimEnd().slice(0, LONGEST_TEXT)
  }
}

function tagNames(tags: readonly Tag[]): string[] {
  return [...new Set(tags.map(({ name }) => name.replace(/^@/, '')))].slice(0, MOST_TAGS)
}

function scenarioTags({ tags, examples }: Scenario): string[] {
  return [...tagNames(tags), ...examples.flatMap((table) => tagNames(table.tags))]
}
