import { LintCode } from '../../../../contract/requirements.ts'
import { Priority } from '../../../../contract/base/common.ts'
import { counted } from '../../../../lib/counted.ts'
import { findWording } from '../../../quality/requirements/lint.ts'
import { requirementKey } from '../../../quality/keys.ts'
import { createTruncationNotes, keepFirst, type TruncationNotes } from '../../../shared/truncation-notes.ts'
import { defineAgent, type AgentContext } from '../../define.ts'
import { requireNamedBranch } from '../../named.ts'
import { keepFitting } from '../../output-size.ts'
import { compareScans } from './delta.ts'
import { findPairs, viewPair } from './pairs.ts'
import { findByKeys, nameRequirement, readWorded, type Worded } from './read.ts'
import { Input, Output, type LintedBody, type OutputBody, type PairBody } from './schema.ts'
import { bySeverity, findSeverity } from './severity.ts'

/** Findings listed of one requirement. */
const MOST_FINDINGS = 50
/** Requirements between two reports of progress; comparing one with those like it takes some milliseconds. */
const STEPS = { wording: 20, reading: 20, comparing: 4 } as const

export const requirementLint = defineAgent({
  id: 'requirement_lint',
  title: 'Requirement lint',
  description:
    'Finds wording that makes a requirement hard to test, and pairs of requirements that say the same or contradict each ' +
    'other, in the main tree or on a branch, and what is new since the last scan. The findings are questions to the ' +
    'author: those of severity HIGH and the contradictions come first.',
  version: '1.0.0',
  reads: ['requirements', 'branches'],
  writes: [],
  input: Input,
  output: Output,
  async run(context, { branch: named, requirement_keys: given = [], limit }) {
    const { rows, product } = context
    const branch = named === undefined ? undefined : await requireNamedBranch(context, named)
    const all = await readWorded(rows, product.id, branch)
    const wanted = given.length === 0 ? undefined : findByKeys(all, given)
    const scanned = wanted === undefined ? all : all.filter(({ id }) => wanted.has(id))
    const linted = await lintAll(context, scanned)
    const pairs = (await findPairs(all, wanted, createPause(context, all.length))).map(viewPair)
    const notes = createTruncationNotes()
    const shown = {
      pairs: keepFitting(notes, 'pairs', pairs, { share: 0.4, max: limit }),
      requirements: cutRequirements(notes, linted, limit),
    }
    const scan = {
      scope: {
        branch: branch === undefined ? null : { id: branch.id, name: branch.name },
        requirement_keys: wanted === undefined ? [] : scanned.map(requirementKey),
      },
      scanned: scanned.length,
      is_whole: notes.list().length === 0,
      rules: countRules(linted),
      ...shown,
    }
    const output = { ...scan, delta: compareScans(context.previous, scan) }
    await reportFindings(context, output)
    return { summary: summarise(output, linted, pairs), output, truncationSignals: notes.list() }
  },
})

/** The first requirements, each with its severest findings, as many as fit into an output. */
function cutRequirements(notes: TruncationNotes, linted: readonly LintedBody[], limit: number): LintedBody[] {
  const first = keepFirst(notes, 'requirements', linted, limit).map((one) => ({
    ...one,
    findings: keepFirst(notes, 'requirements.findings', one.findings, MOST_FINDINGS),
  }))
  return keepFitting(notes, 'requirements', first, { share: 0.45 })
}

async function lintAll({ progress }: AgentContext, requirements: readonly Worded[]): Promise<LintedBody[]> {
  const linted: LintedBody[] = []
  for (const [index, requirement] of requirements.entries()) {
    if (index % STEPS.wording === 0) await progress({ phase: 'wording', done: index, total: requirements.length })
    const { title, statement, acceptance_criteria: criteria, priority, status } = requirement
    const findings = findWording(title, statement, criteria).map(({ code: rule, text, words, advice, span }) => ({
      rule,
      severity: findSeverity(rule),
      text,
      words,
      message: advice,
      span,
    }))
    if (findings.length > 0)
      linted.push({ ...nameRequirement(requirement), priority, status, findings: findings.toSorted(bySeverity) })
  }
  await progress({ phase: 'wording', done: requirements.length, total: requirements.length })
  // The sort is stable, so equal ones stay in the order of their keys.
  return linted.toSorted(
    (a, b) => countHigh(b) - countHigh(a) || rank(a) - rank(b) || b.findings.length - a.findings.length,
  )
}

function countHigh({ findings }: LintedBody): number {
  return findings.filter(({ severity }) => severity === 'HIGH').length
}

function rank({ priority }: LintedBody): number {
  return Priority.options.indexOf(priority)
}

function createPause({ progress }: AgentContext, total: number) {
  return async (phase: 'reading' | 'comparing', done: number): Promise<void> => {
    if (done % STEPS[phase] === 0) await progress({ phase, done, total })
  }
}

function countRules(linted: readonly LintedBody[]): OutputBody['rules'] {
  return LintCode.options
    .map((rule) => {
      const counts = linted.map(({ findings }) => findings.filter((one) => one.rule === rule).length)
      return {
        rule,
        severity: findSeverity(rule),
        findings: counts.reduce((sum, count) => sum + count, 0),
        requirements: counts.filter((count) => count > 0).length,
      }
    })
    .filter(({ findings }) => findings > 0)
    .toSorted((a, b) => bySeverity(a, b) || b.findings - a.findings)
}

const whatPairsDo: Readonly<Record<PairBody['kind'], string>> = {
  CONTRADICTION: 'contradict each other',
  NEAR_DUPLICATE: 'say the same',
  POSSIBLE_CONTRADICTION: 'may contradict each other',
}

/** Writes a FINDING event for each pair and for each requirement with a finding of severity HIGH. */
async function reportFindings({ finding }: AgentContext, { pairs, requirements }: OutputBody): Promise<void> {
  for (const { kind, first, second } of pairs) {
    await finding(`${first.key} and ${second.key} ${whatPairsDo[kind]}.`, {
      kind,
      requirement_keys: [first.key, second.key],
    })
  }
  for (const one of requirements) {
    const high = countHigh(one)
    if (high === 0) continue
    const message = `${one.key} cannot be decided by a test: ${counted(high, 'finding')}.`
    await finding(message, { requirement_id: one.id, requirement_key: one.key, findings: high })
  }
}

function summarise(
  { scanned, delta, scope }: OutputBody,
  linted: readonly LintedBody[],
  pairs: readonly PairBody[],
): string {
  const findings = linted.reduce((sum, one) => sum + one.findings.length, 0)
  const high = linted.reduce((sum, one) => sum + countHigh(one), 0)
  const duplicates = pairs.filter(({ kind }) => kind === 'NEAR_DUPLICATE').length
  const certain = pairs.filter(({ kind }) => kind === 'CONTRADICTION').length
  const place = scope.branch === null ? '' : ' on the branch'
  return [
    `${counted(scanned, 'requirement')}${place}: ${counted(findings, 'wording finding')} in ${String(linted.length)}, ${String(high)} of severity HIGH;`,
    `${counted(certain, 'contradiction')}, ${counted(duplicates, 'near-duplicate')} and ${counted(pairs.length - certain - duplicates, 'possible contradiction')}.`,
    ...(delta === null
      ? []
      : [`Since the last scan ${String(delta.new_findings)} new and ${String(delta.gone_findings)} gone.`]),
    ...nextStep(linted, pairs),
  ].join(' ')
}

function nextStep([worst]: readonly LintedBody[], [pair]: readonly PairBody[]): string[] {
  if (pair !== undefined && pair.kind === 'CONTRADICTION')
    return [`Next: decide between ${pair.first.key} and ${pair.second.key}.`]
  if (worst !== undefined && countHigh(worst) > 0) return [`Next: reword ${worst.key} so that a test can decide it.`]
  if (pair !== undefined) return [`Next: compare ${pair.first.key} with ${pair.second.key}.`]
  return worst === undefined ? [] : [`Nothing urgent; the first to look at is ${worst.key}.`]
}
