import { counted } from '../../../../lib/counted.ts'
import { createTruncationNotes, type TruncationNotes } from '../../../shared/truncation-notes.ts'
import { chunks } from '../../../sql/chunks.ts'
import { defineAgent, type AgentContext } from '../../define.ts'
import { keepFitting } from '../../output-size.ts'
import { readMerged, readRequirements, readResults, readSuspect, readVersions, type SuspectRow } from './read.ts'
import { Advice, Input, Output, type RequirementBody } from './schema.ts'
import { viewRequirement } from './view.ts'

/** Requirements read at once, with their history. */
const REQUIREMENTS = 20

/** What the requirements may use of the output. */
const SHARE = 0.95

const MEANING =
  'Confirming a link says that the test, as it is, proves the requirement as it reads now. Only a confirmation with a ' +
  'reason ends the doubt, never a report or a repeated link. A confirmation by an agent is an exclusion that the quality ' +
  'gate counts until a person has reviewed it.'

export const suspectLinkAudit = defineAgent({
  id: 'suspect_link_audit',
  title: 'Suspect link audit',
  description:
    'Lists the links that became suspect because their requirement changed: what changed since the link was made, who ' +
    'changed it and when, the results since then, and what a confirmation has to name. Confirms nothing itself.',
  version: '1.0.0',
  reads: ['test_links', 'requirements', 'tests', 'test_results'],
  writes: [],
  input: Input,
  output: Output,
  async run(context, { limit }) {
    await context.progress({ phase: 'links', done: 0, total: 0 })
    const { links, total } = await readSuspect(context.rows, context.product.id, limit)
    const notes = createTruncationNotes()
    notes.noteCut('links', 'max_items', links.length, total)
    const viewed = await viewAll(context, links, notes)
    for (const { id, key, links: own } of viewed) {
      const data = { requirement_id: id, requirement_key: key, test_keys: own.map(({ test }) => test.key) }
      await context.finding(`${key} has ${counted(own.length, 'link')} in doubt.`, data)
    }
    const requirements = keepFitting(notes, 'requirements', viewed, { share: SHARE })
    return {
      summary: summarise(total, requirements),
      output: { total, meaning: MEANING, requirements },
      truncationSignals: notes.list(),
    }
  },
})

async function viewAll(
  { rows, progress }: AgentContext,
  links: readonly SuspectRow[],
  notes: TruncationNotes,
): Promise<RequirementBody[]> {
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
      if (requirement !== undefined) viewed.push(viewRequirement(requirement, grouped.get(id) ?? [], details, notes))
    }
  }
  await progress({ phase: 'requirements', done: grouped.size, total: grouped.size })
  return viewed
}

function summarise(total: number, requirements: readonly RequirementBody[]): string {
  if (total === 0) return 'No link is in doubt.'
  const links = requirements.flatMap((one) => one.links)
  const counts = Advice.options.flatMap((action) => {
    const many = links.filter(({ advice }) => advice.action === action).length
    return many === 0 ? [] : [`${String(many)} ${action}`]
  })
  const part = `The output has ${links.length < total ? `${String(links.length)} of them` : 'all of them'}, to `
  const [first] = requirements
  return [
    `${counted(total, 'link is', 'links are')} in doubt.`,
    `${part}${counted(requirements.length, 'requirement')}: ${counts.join(', ')}.`,
    ...(first === undefined
      ? []
      : [`Next: read the change of ${first.key} and its tests, then confirm each link that holds, with a reason.`]),
  ].join(' ')
}
