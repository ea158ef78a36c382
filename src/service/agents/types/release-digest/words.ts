import { counted } from '../../../../lib/counted.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import type { EventData } from '../../define.ts'
import type { ReleaseDigestOutput } from './output.ts'

type Finding = [message: string, data: EventData]

const SUMMARY_CHARACTERS = 500

/** The findings: regressions, new issues, lost coverage. Outsiders write the titles of issues, so they are left out. */
export function describeFindings({ regressed_issues, new_issues, coverage: { lost } }: ReleaseDigestOutput): Finding[] {
  const data = (type: 'issue' | 'requirement', { id, key }: { id: string; key: string }) => ({ type, id, key })
  return [
    ...regressed_issues.map((issue): Finding => [
      `${issue.key} came back in this release: ${counted(issue.events, 'event')}.`,
      { ...data('issue', issue), events: issue.events },
    ]),
    ...new_issues.map((issue): Finding => [
      `${issue.key} (${issue.level}) is new in this release: ${counted(issue.events, 'event')}.`,
      { ...data('issue', issue), events: issue.events },
    ]),
    ...lost.map((requirement): Finding => [
      `${requirement.key} was verified in the release before and is not verified in this one.`,
      data('requirement', requirement),
    ]),
  ]
}

/** Issues, coverage, verdict, the risks that end soon, and the next step. */
export function summarise(output: ReleaseDigestOutput): string {
  const sentences = [issueSentence(output), coverageSentence(output), verdictSentence(output), riskSentence(output)]
  const all = [...sentences, nextStep(output)].filter((sentence) => sentence !== '')
  return cutWithEllipsis(all.join(' '), SUMMARY_CHARACTERS)
}

function issueSentence({ release, predecessor, counts, ...lists }: ReleaseDigestOutput): string {
  // Events name releases and environments: only known names are shown.
  const name = ({ release: { title, known } }: ReleaseDigestOutput['release']) => (known ? title : 'a release')
  const where = release.environment.known ? release.environment.title : 'its environment'
  const against = predecessor === null ? 'without a known predecessor' : `compared with ${name(predecessor)}`
  const certain = lists.gone_issues.find(({ confidence }) => confidence === 'HIGH')
  const { new_issues: fresh, regressed_issues: regressed, gone_issues: gone } = counts
  const back = regressed === 0 ? '' : ` (${firstKeys(lists.regressed_issues, regressed)})`
  const sure = certain === undefined ? '' : `, ${certain.key} with high confidence`
  const kinds = [`${fresh} new`, `${regressed} regressed${back}`, `${gone} gone${sure}`]
  return `${name(release)} in ${where}, ${against}. Issues: ${kinds.join(', ')}.`
}

function coverageSentence({ coverage }: ReleaseDigestOutput): string {
  const { current, before, lost, lost_total: lostTotal, gained, gained_total: gainedTotal } = coverage
  if (current.test_runs === 0) return 'No test run names this version, so nothing is verified.'
  const now = `${current.verified} of ${counted(current.requirements, 'requirement')} verified`
  if (before === null || before.test_runs === 0) return `${now}.`
  const change = [
    ...(lostTotal === 0 ? [] : [`lost ${firstKeys(lost, lostTotal)}`]),
    ...(gainedTotal === 0 ? [] : [`gained ${firstKeys(gained, gainedTotal)}`]),
  ]
  return `${now} (${before.verified} before${change.length === 0 ? '' : `: ${change.join(', ')}`}).`
}

/** The first keys of a list that has `total` entries. */
function firstKeys(list: readonly { key: string }[], total: number): string {
  const shown = list.slice(0, 3).map(({ key }) => key)
  return total <= shown.length ? shown.join(', ') : `${shown.join(', ')} and ${total - shown.length} more`
}

function verdictSentence({ verdict: { current, before } }: ReleaseDigestOutput): string {
  if (current === null) return 'No verdict has been computed for this release.'
  const was = before === null ? '' : ` (${before.status} before)`
  return `Verdict: ${current.status}${was}${current.stale ? ', out of date' : ''}.`
}

function riskSentence({ risks_ending: ending }: ReleaseDigestOutput): string {
  const risks = counted(ending.length, 'accepted risk ends', 'accepted risks end')
  return ending.length === 0 ? '' : `${risks} within 7 days.`
}

function nextStep({ release, regressed_issues, new_issues, coverage, verdict }: ReleaseDigestOutput): string {
  const open = ({ status }: { status: string }) => status === 'unresolved'
  const issue = regressed_issues.find(open) ?? new_issues.find(open)
  if (issue !== undefined) return `Next: get_fix_context of ${issue.key}.`
  const [lost] = coverage.lost
  if (lost !== undefined) return `Next: get_requirement of ${lost.key}, whose tests no longer pass.`
  if (verdict.current === null || verdict.current.stale)
    return `Next: compute_quality_gate with release ${release.release.id}.`
  return ''
}
