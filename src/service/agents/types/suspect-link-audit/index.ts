import { counted } from '../../../../lib/counted.ts'
import { createTruncationNotes } from '../../../shared/truncation-notes.ts'
import { chunks } from '../../../sql/chunks.ts'
import { defineAgent, type AgentContext } from '../../define.ts'
import { readMerged, readRequirements, readResults, readSuspect, readVersions, type SuspectRow } from './read.ts'
import { Input, Output, type RequirementBody } from './schema.ts'
import { viewRequirement } from './view.ts'

/** Requirements read at once, with their history. */
const REQUIREMENTS = 20

const MEANING =
  'Confirming says that the test, as it is, proves the requirement as it reads now. Only an explicit confirmation with a ' +
  'reason ends the doubt: no report and no repeated link does. A confirmation by an agent is an exclusion that the quality ' +
  'gate counts until a person has reviewed it.'

export const suspectLinkAudit = defineAgent({
  id: 'suspect_link_audit',
  title: 'Audit links in doubt',
  description:
    'Lists the links that became suspect because their requirement changed: what changed since the link was made, who ' +
    'changed it and when, how the test has done since, and the call that confirms the link. Confirms nothing.',
  version: '1.0.0',
  reads: ['test_links', 'requirements', 'tests', 'test_results'],
  writes: [],
  input: Input,
  output: Output,
  async run(context, { limit }) {
    await context.progress({ phase: 'links', done: 0, total: 0 })
    const { links: shown, total } = await readSuspect(context.rows, context.product.id, limit)
    const requirements = await viewAll(context, shown)
    const notes = createTruncationNotes()
    notes.noteCut('links', 'max_items', shown.length, total)
    for (const { id, key, links } of requirements) {
      const tests = links.map(({ test }) => test.key)
      await context.finding(`${key} changed: ${counted(links.length, 'link')} in doubt.`, {
        requirement_id: id,
        requirement_key: key,
        test_keys: tests,
      })
    }
    return {
      summary: summarise(total, requirements),
      output: { total, meaning: MEANING, requirements },
      truncationSignals: notes.list(),
    }
  },
})

async function viewAll({ rows, progress }: AgentContext, links: readonly SuspectRow[]): Promise<RequirementBody[]> {
  const grouped = Map.groupBy(links, ({ requirement_id: id }) => id)
  const viewed: RequirementBody[] = []
  for (const ids of chunks([...grouped.keys()], REQUIREMENTS)) {
    await progress({ phase: 'requirements', done: viewed.length, total: grouped.size })
    const found = await readRequirements(rows, ids)
    const own = ids.flatMap((id) => grouped.get(id) ?? [])
    const details = {
      versions: await readVersions(rows, ids),
      merged: await readMerged(rows, ids),
      results: await readResults(rows, [...new Set(own.map(({ test_id: id }) => id))]),
    }
    for (const id of ids) {
      const requirement = found.get(id)
      if (requirement !== undefined) viewed.push(viewRequirement(requirement, grouped.get(id) ?? [], details))
    }
  }
  await progress({ phase: 'requirements', done: grouped.size, total: grouped.size })
  return viewed
}

function summarise(total: number, requirements: readonly RequirementBody[]): string {
  if (total === 0) return 'No link is in doubt.'
  const [first] = requirements
  const links = requirements.flatMap((one) => one.links)
  const count = (action: string) => links.filter(({ advice }) => advice.action === action).length
  const actions = [
    [count('FIX'), 'fail and need a fix first'],
    [count('RUN'), 'have no result since the change'],
    [count('READ'), 'are to be read against the change'],
    [count('CONFIRM'), 'name nothing that changed'],
  ] as const
  const what = actions.flatMap(([many, does]) => (many > 0 ? [`${String(many)} ${does}`] : []))
  return [
    `${counted(total, 'link')} to ${counted(requirements.length, 'requirement')} in doubt: ${what.join(', ')}.`,
    ...(links.length < total ? [`${String(links.length)} are listed.`] : []),
    ...(first === undefined
      ? []
      : [`Next: read the change of ${first.key} and its tests, then make their confirm_call with a reason.`]),
  ].join(' ')
}
