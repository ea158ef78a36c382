import type { Api, ReceivedResult } from '../../client/api.ts'
import type { Untrusted } from '../../contract/base/text.ts'
import type { RequestOf, ResultOf } from '../../contract/index.ts'
import { ServiceError } from '../../errors.ts'
import { counted } from '../../lib/counted.ts'
import { teamText } from '../../mcp/text/team.ts'
import { textForPeople } from '../../mcp/text/untrusted.ts'

const NAME_CHARACTERS = 80
/** The longest reason that the contract allows. */
const TEXT_CHARACTERS = 2000

type Verdict = ReceivedResult<ResultOf<'getGate'>>['verdict']
type Risk = NonNullable<Verdict['risks']>[number]
type Evidence = NonNullable<NonNullable<Verdict['conditions']>[number]['evidence']>[number]

/** A risk that waits for approval, or counts and can be revoked. */
export interface OpenRisk {
  risk: Risk
  verdict: Verdict
  /** Keys of what it covers, as far as the verdict lists it; else its conditions, else its id. Never empty. */
  keys: readonly string[]
  /** The items with those keys. */
  items: readonly Evidence[]
}

/** The pending and the active risks of the newest verdict of a scope, pending ones first. */
export async function openRisks(api: Api, scope: RequestOf<'getGate'>): Promise<OpenRisk[]> {
  const { verdict } = await api.getGate(scope)
  const listed = (verdict.conditions ?? []).flatMap(({ evidence }) => evidence ?? [])
  const isPending = ({ state }: Risk) => state === 'RISK_STATE_PENDING_APPROVAL'
  const risks = verdict.risks ?? []
  return [...risks.filter(isPending), ...risks.filter((risk) => risk.state === 'RISK_STATE_APPROVED')].map((risk) => {
    const covered = new Set((risk.covered_evidence ?? []).map(identity))
    const items = [...new Map(listed.map((item) => [identity(item), item])).values()].filter((item) =>
      covered.has(identity(item)),
    )
    const keys = items.flatMap(({ key }) => (key === undefined || key === '' ? [] : [key]))
    const names = keys.length > 0 ? keys : (risk.condition_ids ?? [])
    return { risk, verdict, items, keys: names.length > 0 ? names : [risk.id] }
  })
}

/** What the risk is bound to, by name; by id what cannot be read any more. */
export async function scopeWords(api: Api, { risk: { scope = {} } }: OpenRisk): Promise<string> {
  const { release_line: line = '', release_id: releaseId = '', environment_id: environmentId = '' } = scope
  const release = releaseId === '' ? undefined : await api.getRelease({ id: releaseId }).catch(leaveOut)
  const place = environmentId === '' ? undefined : await api.getEnvironment({ id: environmentId }).catch(leaveOut)
  const named = (name: Untrusted<string> | undefined, id: string) => textForPeople(name, NAME_CHARACTERS) || id
  const judgedIn = place === undefined ? textForPeople(release?.release.environment, NAME_CHARACTERS) : ''
  const words = [
    line === '' ? '' : `releases ${line}`,
    releaseId === ''
      ? ''
      : `release ${named(release?.release.version, releaseId)}${judgedIn === '' ? '' : ` in ${judgedIn}`}`,
    environmentId === '' ? '' : `environment ${named(place?.environment.name, environmentId)}`,
  ]
  return words.filter(Boolean).join(', ') || 'the whole product'
}

function leaveOut(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}

/** What the decision rests on, one line each. */
export function describeRisk({ risk, verdict, items }: OpenRisk, scope: string): string[] {
  const { accepted_by: by } = risk
  const total = risk.covered_evidence?.length
  return [
    `Risk ${risk.id}: ${risk.state?.replace('RISK_STATE_', '') ?? 'not stated'}`,
    `Verdict: ${written(verdict.status_reason) || 'not stated'}`,
    `Conditions: ${(risk.condition_ids ?? []).join(', ') || 'every condition that lists the items'}`,
    `Covers ${total === undefined ? 'items that are not stated' : counted(total, 'item')}; those that the verdict lists:`,
    ...items.map(line),
    `Scope: ${scope}`,
    `Reason: ${written(risk.reason) || 'not stated'}`,
    `Mitigation: ${written(risk.mitigation) || 'none'}`,
    `Ticket: ${written(risk.ticket_url) || 'none'}`,
    `Severity: ${risk.severity?.replace('RISK_LEVEL_', '') ?? 'not stated'}`,
    `Accepted by: ${written(by?.display_name) || 'not stated'} at ${risk.accepted_at ?? 'a time that is not stated'}`,
    `Ends: ${risk.expires_at ?? 'not stated'}`,
  ]
}

/** The text of a member or their agent on one line: a second line could pass for another fact of the decision. */
export function written(text: string | undefined): string {
  return text === undefined ? '' : teamText(text, { characters: TEXT_CHARACTERS })
}

/** Titles of issues, tests and links are outsiders' text and marked as such. */
function line(item: Evidence): string {
  const state = `${item.key ?? item.id} (${item.state ?? 'not stated'})`
  if (typeof item.title === 'string') return `  ${state} ${written(item.title)}`
  const title = textForPeople(item.title, 80)
  return title === '' ? `  ${state}` : `  ${state} written by others: ${JSON.stringify(title)}`
}

function identity({ type, id }: { type?: string; id?: string }): string {
  return `${type ?? ''}:${id ?? ''}`
}
