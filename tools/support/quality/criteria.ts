/** The parts of an acceptance criterion. */
export interface CriterionParts {
  text?: string | undefined
  given?: string | undefined
  when?: string | undefined
  then?: string | undefined
}

const STEPS = /^given (?<given>.+?), when (?<when>.+?), then (?<then>.+)$/is

/** A criterion as one text: its own, or `Given …, when …, then …` of its steps. */
export function criterionText({ text, given, when, then }: CriterionParts): string {
  const steps = [
    ['given', given],
    ['when', when],
    ['then', then],
  ] as const
  const written = steps
    .flatMap(([word, step]) => (step === undefined || step === '' ? [] : [`${word} ${step}`]))
    .join(', ')
  const whole = written.charAt(0).toUpperCase() + written.slice(1)
  return [text, whole].filter((part) => part !== undefined && part !== '').join(' ')
}

/** The parts of a text: its steps where it has all three, else the text as it is. */
export function parseCriterion(text: string): CriterionParts {
  const { given, when, then } = STEPS.exec(text.trim())?.groups ?? {}
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return given === undefined ? { text: text.trim() } : { given, when, then }
}
