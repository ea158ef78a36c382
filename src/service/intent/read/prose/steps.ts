import { capitalised } from '../../../../lib/counted.ts'
import type { Lines } from '../parts/drafts.ts'

type Part = 'given' | 'when' | 'then'
const STEP = /^(?:\*\s+)?(given|when|then|and|but)\b[:,]?\s+/i
const IN_ONE = /^given\b(.{1,1500}?),?\s+when\b(.{1,1500}?),?\s+then\b(.{1,1500})$/i

export interface Step {
  part: Part | 'more'
  text: string
  /** The step in the source. */
  quote: string
  lines: Lines
}

/** The step that the text is: it starts with Given, When, Then, And or But. */
export function readStep({ text, quote, lines }: Pick<Step, 'text' | 'quote' | 'lines'>): Step | undefined {
  const word = STEP.exec(text)
  const part = word?.[1]?.toLowerCase()
  if (word === null || part === undefined) return undefined
  const known = part === 'given' || part === 'when' || part === 'then' ? part : 'more'
  return { part: known, text: text.slice(word[0].length), quote, lines }
}

/** "Given A, when B, then C" in one sentence. */
export function stepsInOne(text: string): Record<Part, string> | undefined {
  const [, given, when, then] = IN_ONE.exec(text) ?? []
  if (given === undefined || when === undefined || then === undefined) return undefined
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { given: given.trim(), when: when.trim(), then: then.trim() }
}

/** The texts of Given, When and Then; undefined unless there is a Then and a Given or When. */
export function joinSteps(steps: readonly Step[]): Record<Part, string> | undefined {
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  const texts: Record<Part, string[]> = { given: [], when: [], then: [] }
  let part: Part = 'given'
  for (const step of steps) {
    if (step.part !== 'more') part = step.part
    texts[part].push(step.text)
  }
  if (texts.then.length === 0 || texts.given.length + texts.when.length === 0) return undefined
  const join = (list: readonly string[]) => list.map((text) => text.replace(/[.,;]$/, '')).join('; ')
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { given: join(texts.given), when: join(texts.when), then: join(texts.then) }
}

/** Given, When and Then as one sentence. */
export function sentenceFrom({ given, when, then }: Record<Part, string>): string {
  const parts = [given && `given ${given}`, when && `when ${when}`, then && `then ${then}`].filter(Boolean)
  const text = parts.join(', ')
  return `${capitalised(text)}.`
}
