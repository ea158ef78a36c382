/** Words that follow our pattern for tool names (verb_noun), whether or not the tool exists. */
const TOOL_NAME =
  /\b(?:accept|approve|cancel|compute|create|decide|delete|distill|find|get|ingest|list|merge|record|review|save|send|set|start|unlink|update|upload|verify)_[a-z]+(?:_[a-z]+)*\b/g

type Offers = (tool: string) => boolean

function namesOnlyOffered(text: string, offers: Offers): boolean {
  return [...text.matchAll(TOOL_NAME)].every(([name]) => offers(name))
}

/** The text without sentences that name a tool absent from the caller's list. */
export function sentencesOffered(text: string, offers: Offers): string {
  return text
    .split(/(?<=[.:;])\s+(?=[A-Z])/)
    .filter((sentence) => namesOnlyOffered(sentence, offers))
    .join(' ')
}

/** The text without lines that name a tool absent from the caller's list. */
export function linesOffered(text: string, offers: Offers): string {
  return text
    .split('\n')
    .filter((line) => namesOnlyOffered(line, offers))
    .join('\n')
}

/** The numbered steps, without those that name a tool absent from the caller's list. */
export function stepsOffered(steps: readonly string[], offers: Offers): string {
  return steps
    .filter((step) => namesOnlyOffered(step, offers))
    .map((step, index) => `${String(index + 1)}. ${step}`)
    .join('\n')
}

/** The JSON value, with `sentencesOffered` applied to every `description` in it. */
export function descriptionsOffered<T>(json: T, offers: Offers): T {
  return JSON.parse(
    JSON.stringify(json, (name, value: unknown) =>
      name === 'description' && typeof value === 'string' ? sentencesOffered(value, offers) : value,
    ),
  ) as T
}
