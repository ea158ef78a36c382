import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type * as z from 'zod'
import type { GatePolicy } from '../../../contract/quality-gate/policy.ts'
import { isObject } from '../../../lib/objects.ts'
import { letOthersRunIfDue, mapInTurns } from '../../../lib/turns-of-others.ts'
import { isVouched } from '../judge/counting.ts'
import type { GateFacts, IssueFact, RiskFact, TestFact } from '../facts.ts'

/**
 * A digest of everything that a verdict rests on: facts, policy and risks. Equal inputs have the same digest. Left out is
 * what changes without deciding anything: titles, which events and reports may rewrite, how often a test ran, and what
 * only events with a public key say of issues, so that their senders cannot make a verdict stale.
 */
export async function digestInputs(
  facts: GateFacts,
  policy: z.output<typeof GatePolicy>,
  risks: readonly RiskFact[],
): Promise<string> {
  const covered = risks.map((risk) => ({ ...risk, covered: [...risk.covered].toSorted(byItem) }))
  const exclusions = await listText(facts.exclusions, canonical)
  const texts: Texts = [
    canonical(policy),
    await listText(facts.requirements, canonical),
    await listText(facts.tests, testText),
    // They are in the words of the verdict.
    facts.elsewhere.toSorted().join('\n'),
    String(facts.isUnexposed),
    inOrder(facts.suspectLinks),
    inOrder(facts.issues.filter(decides), once(canonical)),
    exclusions,
    inOrder(facts.incompleteRuns),
    inOrder(covered),
  ]
  // Of thousands of exclusions the text is a megabyte.
  const last = digests.get(exclusions)
  if (last !== undefined && areSame(texts, last.texts)) return last.digest
  const hash = createHash('sha256')
  for (const text of texts) {
    hash.update(text)
    await letOthersRunIfDue()
  }
  const digest = hash.digest('hex')
  digests.set(exclusions, { texts, digest })
  return digest
}

type Texts = readonly (string | Uint8Array)[]

interface Hashed {
  texts: Texts
  digest: string
}

/** Characters of texts that are kept: those of thousands of tests are no longer needed once their facts are forgotten. */
const MOST_CHARACTERS = 8_000_000

/** What was hashed last with a text of exclusions, which verdict after verdict has. */
const digests = new LRUCache<Uint8Array, Hashed>({
  maxSize: MOST_CHARACTERS,
  sizeCalculation: ({ texts }) => texts.reduce((sum, { length }) => sum + length, 0),
})

function areSame(texts: Texts, others: Texts): boolean {
  return texts.every((text, at) => {
    const other = others[at]
    if (typeof text === 'string' || typeof other === 'string' || other === undefined) return text === other
    return text === other || Buffer.compare(text, other) === 0
  })
}

function byItem([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1
}

/** Whether an issue is in a condition or keeps an exclusion out of one; others are listed for their unvouched facts. */
function decides(issue: IssueFact): boolean {
  return issue.isFixed || (isVouched(issue) && (issue.isNew || issue.isRegressed || issue.stillFiring))
}

function inOrder<T>(facts: readonly T[], write: (fact: T) => string = canonical): string {
  return `\n${facts.map(write).toSorted().join('\n')}\n`
}

const listTexts = new WeakMap<readonly object[], Uint8Array>()

/** Verdict after verdict is given the same list, of thousands, until one of them changes or ends. */
async function listText<T extends object>(facts: readonly T[], write: (fact: T) => string): Promise<Uint8Array> {
  const known = listTexts.get(facts)
  if (known !== undefined) return known
  const text = Buffer.from(inOrder(await mapInTurns(facts, once(write)), String))
  listTexts.set(facts, text)
  return text
}

const factTexts = new WeakMap<object, string>()

/** The text of a fact that is the same object in verdict after verdict is written once. */
function once<T extends object>(write: (fact: T) => string): (fact: T) => string {
  return (fact) => {
    const text = factTexts.get(fact) ?? write(fact)
    factTexts.set(fact, text)
    return text
  }
}

/** Whether a test ran and was flaky decides, and not how often. */
function testText({ runs, flakyRuns, ...test }: TestFact): string {
  return canonical({ ...test, ran: runs > 0, isFlaky: flakyRuns > 0 })
}

/** Titles, which events and reports may rewrite, and what only events with a public key say of issues. */
const undecided: ReadonlySet<string> = new Set(['title', 'isNewUnvouched', 'isRegressedUnvouched', 'reopenedUnvouched'])

/** JSON with the members in order of their names, without those that decide nothing. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  let members = ''
  for (const name of sortedNames(value)) {
    const member = value[name]
    if (member !== undefined) members += `${members === '' ? '' : ','}"${name}":${canonical(member)}`
  }
  return `{${members}}`
}

const orders = new Map<string, readonly string[]>()

/** The names of the members that decide, in their order: sorted once for the thousands of facts with the same members. */
function sortedNames(value: object): readonly string[] {
  const names = Object.keys(value)
  const shape = names.join(' ')
  const known = orders.get(shape)
  if (known !== undefined) return known
  const sorted = names.filter((name) => !undecided.has(name)).toSorted()
  orders.set(shape, sorted)
  return sorted
}
