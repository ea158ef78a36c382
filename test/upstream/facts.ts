import type { Called } from '../mcp/clients.ts'
import type { Seen } from './watched.ts'

/** A statement of a result that nothing supports. */
export interface Invented {
  what: string
  sentence: string
}

const nonce = /untrusted-\d{15}/g
const times = [/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?/g, /\b\d\d-\d\d \d\d:\d\d\b/g]
const opaque = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?/g
/**
 * Our own words: examples of keys, the proposal of a longer period, the version in paths, what a call may not have, ages, the
 * digest of the tools.
 */
const ours =
  /\b(?:REQ|TC)-12\b|"30d"|\/v1\/|no environment, release, match or cursor|no call links|\(computed [^)]*\)|\bsurface=[\w-]{8}/g

/**
 * Numbers, times, paths and addresses of the result that are neither in an answer of the deployment nor in the arguments,
 * and that cannot be counted: the length of a list of an answer or of the result, or the time between two times.
 */
export function inventedFacts(result: Called, answers: readonly Seen[], args: unknown): Invented[] {
  const known = knownNumbers(answers, args, result)
  const said = [JSON.stringify(args), ...answers.flatMap(({ path, answer }) => [path, answer])].join('\n')
  return sentences(result).flatMap((sentence) => {
    const at = times
      .flatMap((time) => sentence.match(time) ?? [])
      .filter((time) => !said.includes(time.replace(' ', 'T')))
    const words = withoutTimes(sentence)
      .split(/[\s|,;:=()[\]{}"'<>]+/)
      .map((word) => word.replace(/\.$/, ''))
      .filter((word) => /[\d/@]/.test(word) && !said.includes(word))
    const numbers = words
      .flatMap((word) => word.match(/\d+(?:\.\d+)?/g) ?? [])
      .filter((number) => !known.has(Number(number)))
    const made = numbers.filter((number) => !isTimeBetween(Number(number), said))
    return [...at, ...made].map((what) => ({ what, sentence }))
  })
}

function withoutTimes(sentence: string): string {
  return times.reduce((text, time) => text.replaceAll(time, ' '), sentence)
}

/** Whether two times in the text are that many seconds or minutes apart. */
function isTimeBetween(number: number, said: string): boolean {
  const found = [...new Set(said.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g))].map((time) => Date.parse(time) / 1000)
  return found.some((one) => found.some((other) => one - other === number || one - other === number * 60))
}

/** Statements that something is complete or not there, which the result from the embedded service does not have. */
export function inventedAbsences(result: Called, answers: readonly Seen[], plain: Called): Invented[] {
  const told = [...sentences(plain), ...answers.map(({ answer }) => answer)].join('\n')
  const claims = sentences(result).filter((sentence) => !aboutTheAnswer.test(sentence))
  return claims.flatMap((sentence) =>
    (sentence.match(absence) ?? []).filter((what) => !told.includes(what)).map((what) => ({ what, sentence })),
  )
}

/** Errors that speak of the deployment's answer and not of its data. */
const aboutTheAnswer =
  /\((?:upstream_shape_unknown|feature_disabled|outcome_unknown)\b|cannot be read|outcome is unknown/

/** All words for what is not there, but those that say what a deployment or a tool cannot do. */
const absence =
  /\ball shown\b|\bnone\b|\b[Nn]o (?!longer|further|such|more of|[\w-]+ endpoint)\w+(?: \w+)?|\bnever\b(?: \w+)?|(?<![\d.:T-])\b0 [a-z]+|\b\w+[=:] ?0(?![\d.])|\bnot found\b|\b[Nn]othing\b(?: \w+)?|\bunknown\b/g

function sentences({ text }: Called): string[] {
  return text
    .replaceAll(nonce, '')
    .replaceAll(ours, ' ')
    .split(/\n|(?<=[.;]) /)
    .filter((line) => line !== '')
}

function knownNumbers(answers: readonly Seen[], args: unknown, { structured }: Called): Set<number> {
  const known = new Set<number>(answers.map(({ status }) => status))
  for (const { answer } of answers) {
    try {
      collect(JSON.parse(answer), known)
    } catch {
      // A page or half an answer: it says no number.
    }
  }
  collect(args, known)
  collectLengths(structured, known)
  return known
}

/** Numbers of leaves and lengths of lists; times, ids and hashes are no numbers. */
function collect(value: unknown, known: Set<number>): void {
  if (typeof value === 'number') known.add(value)
  else if (typeof value === 'string') {
    for (const number of value.replaceAll(opaque, ' ').match(/\d+(?:\.\d+)?/g) ?? []) known.add(Number(number))
  } else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) known.add(value.length)
    for (const inner of Object.values(value)) collect(inner, known)
  }
}

function collectLengths(value: unknown, known: Set<number>): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) known.add(value.length)
  for (const inner of Object.values(value)) collectLengths(inner, known)
}
