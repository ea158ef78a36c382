/**
 * Words that follow our pattern for tool names (verb_noun), whether or not the tool exists; not a function that is called,
 * as pytest's `record_property("issue", …)`.
 */
const TOOL_NAME =
  /\b(?:accept|approve|cancel|compute|create|decide|delete|distill|find|get|ingest|list|merge|record|review|save|send|set|start|unlink|update|upload|verify)_[a-z]+(?:_[a-z]+)*\b(?!\()/g

type Offers = (tool: string) => boolean

/** The names in a text that follow our pattern for tools. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(TOOL_NAME)].map(([name]) => name)
}

function namesOnlyOffered(text: string, offers: Offers): boolean {
  return namesIn(text).every(offers)
}

/** A sentence may begin with the name of a tool, which has no capital. */
const SENTENCE_START = /(?<=[.:;])\s+(?=[A-Z])|(?<=\.)\s+(?=[a-z]+_[a-z])/

/** The text without sentences that name a tool absent from the caller's list. */
export function sentencesOffered(text: string, offers: Offers): string {
  return text
    .split(SENTENCE_START)
    .filter((sentence) => namesOnlyOffered(sentence, offers))
    .join(' ')
}

/**
 * The Markdown document without what names a tool absent from the caller's list: a section whose heading does, each step
 * with its further lines, each sentence of a paragraph, each other line. Steps are numbered as they are shown; a section
 * without any step that it had is left out.
 */
export function documentOffered(text: string, offers: Offers): string {
  return text
    .split(/^(?=## )/m)
    .flatMap((section) => sectionOffered(section, offers) ?? [])
    .join('')
}

const STEP = /^\d+\. /
/** A line of a paragraph: no heading, step, list, table or block. */
const PROSE = /^[A-Za-z`"(]/

function sectionOffered(section: string, offers: Offers): string | undefined {
  const items = itemsIn(section)
  const shown = items.map((item) => itemOffered(item, offers)).filter((item) => item !== undefined)
  const hasSteps = (list: readonly string[]) => list.some((item) => STEP.test(item))
  const lostHeading = section.startsWith('#') && shown[0] !== items[0]
  if (lostHeading || hasSteps(shown) !== hasSteps(items)) return undefined
  let number = 0
  return shown.map((item) => item.replace(STEP, () => `${String((number += 1))}. `)).join('\n')
}

/** A step and the indented lines below it are one item, and so are the lines of a paragraph. */
function itemsIn(section: string): string[] {
  const items: string[] = []
  let isOpen = false
  for (const item of section.split(/\n(?! )/)) {
    const isProse = PROSE.test(item)
    if (isProse && isOpen) items.push(`${items.pop() ?? ''}\n${item}`)
    else items.push(item)
    isOpen = isProse
  }
  return items
}

function itemOffered(item: string, offers: Offers): string | undefined {
  if (namesOnlyOffered(item, offers)) return item
  // A line of a wrapped paragraph is no sentence: without it the lines around it would say something else.
  return (PROSE.test(item) && sentencesOffered(item, offers)) || undefined
}

/** The numbered steps, without those that name a tool absent from the caller's list. */
export function stepsOffered(steps: readonly string[], offers: Offers): string {
  return steps
    .filter((step) => namesOnlyOffered(step, offers))
    .map((step, index) => `${String(index + 1)}. ${step}`)
    .join('\n')
}

/** The JSON value, with `sentencesOffered` applied to every `description` in it; one that has none left is left out. */
export function descriptionsOffered<T>(json: T, offers: Offers): T {
  return JSON.parse(
    JSON.stringify(json, (name, value: unknown) =>
      name === 'description' && typeof value === 'string' ? sentencesOffered(value, offers) || undefined : value,
    ),
  ) as T
}
