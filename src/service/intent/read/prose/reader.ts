import { type Block, lineCounter, type Passage, type ProseBlock, rawIndex } from '../parts/blocks.ts'
import { ruleCriterion, scenarioCriterion } from '../../criterion.ts'
import { addCriterion, type Draft, type Lines, newDraft } from '../parts/drafts.ts'
import { titleFrom } from '../facts/title.ts'
import type { LineLedger } from '../parts/ledger.ts'
import { LONGEST_SENTENCE, LONGEST_TEXT } from '../parts/limits.ts'
import { splitDemands } from '../patterns/split.ts'
import { type Demand, readDemand, type Surroundings } from '../patterns/statement.ts'
import { storyWish } from '../patterns/story.ts'
import { type Label, labelBefore, speakerLength, type Speakers } from './labels.ts'
import { Outline } from './outline.ts'
import { splitSentences } from './sentences.ts'
import { joinSteps, readStep, sentenceFrom, type Step, stepsInOne } from './steps.ts'

export interface ProseOptions {
  speakers: Speakers
  isUpperOnly: boolean
  includeInformative: boolean
}

/** A sentence with its place in the source. */
interface Sentence {
  text: string
  quote: string
  lines: Lines
}

/** Reads the prose of a document, block by block, into drafts and the account of its lines. */
export class ProseReader {
  /** How many sentences were read. */
  sentences = 0
  readonly #ledger: LineLedger
  readonly #drafts: Draft[]
  readonly #options: ProseOptions
  readonly #outline = new Outline()
  #steps: Step[] = []

  constructor(ledger: LineLedger, drafts: Draft[], options: ProseOptions) {
    this.#ledger = ledger
    this.#drafts = drafts
    this.#options = options
  }

  /** The titles of the sections around the current place. */
  get headings(): readonly string[] {
    return this.#outline.titles
  }

  take(block: Exclude<Block, { kind: 'gherkin' }>): void {
    if (block.kind === 'frame') this.#ledger.frame(block.lineStart, block.lineEnd)
    else if (block.kind === 'skipped') this.#ledger.skip(block.lineStart, block.lineEnd, block.reason)
    else if (block.kind === 'heading') this.#heading(block.level, block.passage, block.lineEnd)
    else this.#prose(block)
  }

  /** Ends what is open. */
  end(): void {
    this.#closeSteps()
  }

  #heading(level: number, passage: Passage, lineEnd: number): void {
    this.#closeSteps()
    this.#ledger.context(passage.line, lineEnd)
    this.#outline.heading(level, collapse(passage.text))
  }

  #prose(block: ProseBlock): void {
    const { passage } = block
    const struck = passage.text.trim() === ''
    const lineEnd = passage.line + passage.raw.split('\n').length - 1
    if (struck) return this.#ledger.skip(passage.line, lineEnd, 'STRUCK_OUT')
    this.#ledger.frame(passage.line, lineEnd)
    this.#outline.enter(block.depth)
    const sentences = this.#split(passage)
    if (this.#isTitle(block, sentences)) return
    if (block.kind !== 'item') this.#closeStepsUnless(sentences)
    const before = this.#drafts.length
    for (const sentence of sentences) this.#sentence(block, sentence)
    this.#lead(block, sentences, before)
  }

  /** The sentences of a passage. What each speaker says, and each step, starts a new sentence. */
  #split(passage: Passage): Sentence[] {
    const lineAt = lineCounter(passage)
    const found: Sentence[] = []
    for (const { start, end } of turns(passage.text, this.#options.speakers)) {
      for (const span of splitSentences(passage.text.slice(start, end))) {
        const from = rawIndex(passage, start + span.start)
        const to = rawIndex(passage, start + span.end - 1) + 1
        const lines = { start: lineAt(from), end: lineAt(to - 1) }
        const text = collapse(passage.text.slice(start + span.start, start + span.end))
        found.push({ text, quote: passage.raw.slice(from, to), lines })
      }
    }
    this.sentences += found.length
    return found
  }

  /** Whether the block is a title without being a heading: "**Acceptance criteria**", "Must have:". */
  #isTitle(block: ProseBlock, sentences: readonly Sentence[]): boolean {
    const [only, ...others] = sentences
    if (only === undefined || others.length > 0) return false
    const isTitle = (block.strong || only.text.endsWith(':')) && only.text.length <= 80
    const label = only.text.replace(/:$/, '')
    if (!isTitle || readDemand(label, this.#around(block)) !== undefined) return false
    this.#closeSteps()
    this.#ledger.context(only.lines.start, only.lines.end)
    this.#outline.label(block.depth, label)
    return true
  }

  #around(block: ProseBlock, label?: Label): Surroundings {
    const { isUpperOnly, includeInformative } = this.#options
    const { kind, modality } = this.#outline
    const isItem = block.kind === 'item'
    return {
      isWanted: isItem && (kind === 'wanted' || kind === 'decided'),
      isDecided: label?.isDecided === true || (isItem && kind === 'decided'),
      isUpperOnly,
      isBackground: kind === 'background',
      includeInformative,
      modality: label?.modality ?? modality,
    }
  }

  #sentence(block: ProseBlock, sentence: Sentence): void {
    const { text, lines } = sentence
    if (text.length > LONGEST_SENTENCE) return this.#ledger.skip(lines.start, lines.end, 'TOO_LONG')
    if (this.#step(block, sentence)) return
    const label = labelBefore(text)
    const statement = text.slice(label.length)
    const around = this.#around(block, label)
    const demand = this.#outline.kind === 'excluded' ? undefined : readDemand(statement, around)
    if (this.#isCriterion(block, demand)) return this.#criterion(statement, lines)
    if (demand === undefined) return this.#ledger.context(lines.start, lines.end)
    for (const part of splitDemands(statement, demand)) {
      // The halves may differ in modality: "must not A, and must B".
      this.#add(part, part === statement ? demand : (readDemand(part, around) ?? demand), sentence)
    }
  }

  /** Whether the sentence is a criterion: below "Acceptance criteria", or an item of a list that a demand introduces. */
  #isCriterion(block: ProseBlock, demand: Demand | undefined): boolean {
    const { target } = this.#outline
    if (target === undefined) return false
    if (target.isAcceptance) return block.kind === 'item' || demand !== undefined
    return block.kind === 'item' && demand?.modal === undefined && demand?.pattern !== 'PATTERN_USER_STORY'
  }

  #criterion(text: string, lines: Lines): void {
    const draft = this.#outline.target?.draft
    const inOne = stepsInOne(text)
    const criterion = inOne === undefined ? ruleCriterion(text) : scenarioCriterion(inOne)
    if (draft === undefined || text.endsWith('?') || !addCriterion(draft, criterion, [lines])) {
      this.#ledger.context(lines.start, lines.end)
    }
  }

  #add(statement: string, demand: Demand, { quote, text, lines }: Sentence): void {
    const { pattern, modality, confidence, retires } = demand
    const title = titleFrom(pattern === 'PATTERN_USER_STORY' ? storyWish(statement) : statement)
    const headings = this.headings
    const draft = newDraft(
      { statement, title, pattern, modality, confidence, headings, quote: quote.slice(0, LONGEST_TEXT), lines },
      { retires, keyText: `${this.#outline.title} ${text}` },
    )
    this.#drafts.push(draft)
    this.#outline.found(draft)
  }

  /** Keeps "Given …", "When …", "Then …" until the last of them; true if the sentence is one. */
  #step(block: ProseBlock, sentence: Sentence): boolean {
    const step = readStep(sentence)
    const isOpen = this.#steps.length > 0
    const starts = step?.part === 'given' || (step?.part === 'when' && !this.#demands(block, sentence.text))
    const goesOn = step !== undefined && isOpen && step.part !== 'given'
    const ends = step?.part === 'given' && this.#steps.some(({ part }) => part === 'then')
    if (step === undefined || stepsInOne(sentence.text) !== undefined || !(starts || goesOn)) {
      if (isOpen) this.#closeSteps()
      return false
    }
    if (ends) this.#closeSteps()
    this.#steps.push(step)
    return true
  }

  #demands(block: ProseBlock, text: string): boolean {
    return readDemand(text, this.#around(block)) !== undefined
  }

  #closeStepsUnless(sentences: readonly Sentence[]): void {
    const first = sentences[0]
    if (first === undefined || readStep(first) === undefined) this.#closeSteps()
  }

  /** Turns the steps into a criterion of the last requirement, or into a requirement; context if they are incomplete. */
  #closeSteps(): void {
    const steps = this.#steps
    this.#steps = []
    if (steps.length === 0) return
    const joined = joinSteps(steps)
    const lines = steps.map((step) => step.lines)
    if (joined === undefined) return this.#contexts(lines)
    const target = this.#outline.target?.draft ?? this.#outline.scenarioTarget
    if (target === undefined) return this.#scenario(sentenceFrom(joined), joined, steps)
    if (!addCriterion(target, scenarioCriterion(joined, this.#outline.scenarioTitle), lines)) this.#contexts(lines)
  }

  #contexts(lines: readonly Lines[]): void {
    for (const { start, end } of lines) this.#ledger.context(start, end)
  }

  #scenario(statement: string, texts: Record<'given' | 'when' | 'then', string>, steps: readonly Step[]): void {
    const lines = steps.map((step) => step.lines)
    const line = lines[0]?.start ?? 1
    const draft = newDraft({
      statement,
      title: titleFrom(this.#outline.scenarioTitle || texts.then),
      pattern: 'PATTERN_GHERKIN',
      modality: 'MODALITY_MUST',
      confidence: 0.95,
      headings: this.headings,
      quote: steps
        .map(({ quote }) => quote)
        .join('\n')
        .slice(0, LONGEST_TEXT),
      lines: { start: line, end: line },
    })
    addCriterion(draft, scenarioCriterion(texts), lines)
    this.#drafts.push(draft)
    this.#outline.found(draft)
  }

  /** Lets a demand that introduces a list take the items as criteria. */
  #lead(block: ProseBlock, sentences: readonly Sentence[], before: number): void {
    const last = sentences.at(-1)
    const draft = this.#drafts.length > before ? this.#drafts.at(-1) : undefined
    if (last === undefined) return
    const introduces = last.text.endsWith(':')
    if (draft !== undefined && (introduces || block.kind === 'item')) this.#outline.lead(block.depth, draft)
    else if (introduces) this.#outline.label(block.depth, last.text)
  }
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

const STEP_LINE = /^\s*(?:given|when|then|and|but)\b/i

/** What each person says, without the name; lines of Given, When and Then one by one; else the whole text. */
function turns(text: string, speakers: Speakers): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  const isSteps = /^\s*(?:given|when)\b/i.test(text) && /\n\s*then\b/i.test(text)
  let start = speakerLength(text, speakers)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const next = text.slice(at + 1, at + 200)
    const length = speakerLength(next, speakers)
    if (length === 0 && !(isSteps && STEP_LINE.test(next))) continue
    found.push({ start, end: at })
    start = at + 1 + length
  }
  return [...found, { start, end: text.length }]
}
