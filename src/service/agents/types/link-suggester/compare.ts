import type { AgentContext } from '../../define.ts'
import type { RequirementFacts, TestFacts } from './facts.ts'
import type { Settled } from './settled.ts'
import { confidence, type Signals } from './confidence.ts'
import { annotatedCriteria, readAnnotations, type Annotation } from './annotation.ts'
import { readHistory, type HistoryMatch } from './history.ts'
import { matchPaths, type PathMatch } from './paths.ts'
import {
  createRarity,
  createTestReader,
  matchWords,
  readRequirementWords,
  type RequirementWords,
  type TestWords,
  type WordMatch,
} from './names.ts'

/** A test that may verify a requirement. */
export interface Candidate {
  test: TestFacts
  requirement: RequirementFacts
  confidence: number
  signals: Signals
  evidence: Evidence
  /** The ids of the criteria that it is about; none where that is not known. */
  criterionIds: string[]
}

/** What the signals were found by. */
export interface Evidence {
  annotation: Annotation | undefined
  words: WordMatch
  path: PathMatch
  history: HistoryMatch
}

/** The requirements that share the most words with a test; only these are compared with it. */
const COMPARED = 12
/** A term that is in more requirements finds none of them. */
const MOST_FOUND = 200
/** Requirements or tests between two reports of progress: about 10 ms. */
const AT_ONCE = 50

type Comparing = Pick<AgentContext, 'rows' | 'product' | 'progress'>

/**
 * Compares each test with the requirements that share words with it, that it names or that it is linked to, and calls `found`
 * with the candidates of the test, the most confident first. An inverted index of the requirements' words finds them, so the
 * time grows with the tests and not with the pairs.
 */
export async function compareAll(
  { rows, product, progress }: Comparing,
  {
    requirements,
    tests,
    settled,
  }: { requirements: readonly RequirementFacts[]; tests: readonly TestFacts[]; settled: Settled },
  found: (candidates: readonly Candidate[]) => void,
): Promise<void> {
  const requirementWords = await mapInSteps(requirements, 'requirement words', readRequirementWords, progress)
  const testWords = await mapInSteps(tests, 'test words', createTestReader(), progress)
  const rarity = createRarity(requirementWords, testWords)
  const nearest = indexRequirements(requirementWords, rarity)
  const byId = new Map(requirements.map(({ id }, index) => [id, index]))
  const byNumber = new Map(requirements.map(({ number }, index) => [number, index]))
  const matchHistory = await readHistory(rows, product.id, { tests, requirements, linked: settled.linked })
  const compareTest = (test: TestFacts, at: number) => {
    const annotations = readAnnotations(test)
    const named = [...annotations.keys()].flatMap((number) => byNumber.get(number) ?? [])
    const linked = [...(settled.linked.get(test.id) ?? [])].flatMap((id) => byId.get(id) ?? [])
    const candidates = [...new Set([...named, ...linked, ...nearest(testWords[at]!)])].map((index) => {
      const requirement = requirements[index]!
      return createCandidate(test, requirement, {
        annotation: annotations.get(requirement.number),
        words: matchWords(testWords[at]!, requirementWords[index]!, rarity),
        path: matchPaths(test, requirement),
        history: matchHistory(test, requirement),
      })
    })
    found(candidates.sort(byConfidence))
  }
  await mapInSteps(tests, 'comparing', compareTest, progress)
}

async function mapInSteps<T, R>(
  list: readonly T[],
  phase: string,
  map: (one: T, index: number) => R,
  progress: AgentContext['progress'],
): Promise<R[]> {
  const mapped: R[] = []
  for (const [done, one] of list.entries()) {
    if (done % AT_ONCE === 0) await progress({ phase, done, total: list.length })
    mapped.push(map(one, done))
  }
  await progress({ phase, done: list.length, total: list.length })
  return mapped
}

/** Returns a function that finds the indexes of the requirements that share the most with a test, the closest first. */
function indexRequirements(requirements: readonly RequirementWords[], rarity: (name: string) => number) {
  const byTerm = new Map<string, number[]>()
  for (const [index, { all }] of requirements.entries()) {
    for (const name of all.keys()) {
      const found = byTerm.get(name)
      if (found === undefined) byTerm.set(name, [index])
      else found.push(index)
    }
  }
  return ({ title, place }: TestWords): number[] => {
    const shared = new Map<number, number>()
    for (const [name, { weight }] of [...title, ...place]) {
      const indexes = byTerm.get(name) ?? []
      if (indexes.length > MOST_FOUND) continue
      for (const index of indexes) shared.set(index, (shared.get(index) ?? 0) + weight * rarity(name))
    }
    return [...shared]
      .sort(([one, a], [other, b]) => b - a || one - other)
      .slice(0, COMPARED)
      .map(([index]) => index)
  }
}

function createCandidate(test: TestFacts, requirement: RequirementFacts, evidence: Evidence): Candidate {
  const { annotation, words, path, history } = evidence
  const signals = {
    annotation: annotation?.value ?? 0,
    name_similarity: words.value,
    path_overlap: path.value,
    history: history.value,
  }
  const annotated = annotation === undefined ? [] : annotatedCriteria(requirement, annotation)
  return {
    test,
    requirement,
    confidence: confidence(signals),
    signals,
    evidence,
    criterionIds: annotated.length > 0 ? annotated : words.criterionIds,
  }
}

/** The most confident first; equal ones by requirement, then by test. */
export function byConfidence(one: Candidate, other: Candidate): number {
  return (
    other.confidence - one.confidence ||
    one.requirement.number - other.requirement.number ||
    one.test.number - other.test.number
  )
}
