import { ConfigError, type Config } from '../../config.ts'
import type { ReceivedResult } from '../../client/api.ts'
import type { ResultOf } from '../../contract/index.ts'
import { counted } from '../../lib/counted.ts'
import { textForPeople } from '../../mcp/text/untrusted.ts'
import { plainLines } from '../support/finding.ts'
import type { Io } from '../support/io.ts'
import { openPrompt } from '../support/prompt.ts'
import { withBackend } from '../support/with-backend.ts'
import { askNote, askPerson, explainNoVerdict } from './person.ts'
import { written } from './risks.ts'

type Exclusion = NonNullable<ReceivedResult<ResultOf<'getGate'>>['verdict']['exclusions']>[number]

/**
 * `tracegate review`: shows what agents took out of the quality gate, and records that a person has seen it (contract §7.2).
 * The token is typed and comes from no file or variable.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const prompt = openPrompt(io, 'review')
  const say = (lines: readonly string[]) => void io.stdout.write(`${plainLines(lines.join('\n'))}\n`)
  return withBackend(config, io, async (backend) => {
    const { api, name, product, scope } = await askPerson(config, backend, prompt)
    const { verdict } = await api.getGate(scope).catch((error: unknown) => explainNoVerdict(error, config))
    const waiting = (verdict.exclusions ?? []).filter(
      ({ by_agent: byAgent, reviewed_by: reviewer }) => byAgent === true && !reviewer,
    )
    if (waiting.length === 0) {
      say(['Nothing that agents took out of this verdict waits for a review.'])
      return 0
    }
    const more = (verdict.exclusions_unreviewed ?? 0) - waiting.length
    say([
      `Agents took ${counted(waiting.length, 'item')} out of the gate without an accepted risk:`,
      ...waiting.map(line),
      ...(more > 0 ? [`${String(more)} more wait: run the command again afterwards.`] : []),
      `Recorded as: ${name}`,
    ])
    const note = await askNote(prompt)
    if ((await prompt.line('Type reviewed to record that you have seen them')) !== 'reviewed') {
      throw new ConfigError('that is not the word: nothing was written')
    }
    await api.reviewExclusions({
      product_id: product.id,
      exclusion_ids: waiting.map(({ id }) => id),
      ...(note !== '' && { note }),
    })
    say([
      `Reviewed ${counted(waiting.length, 'item')}: the next verdict does not fail because of ${waiting.length === 1 ? 'it' : 'them'}.`,
    ])
    return 0
  })
}

function line({ id, kind, item, at, reason, actor }: Exclusion): string {
  const title = textForPeople(item?.title, 80)
  const why = written(reason)
  return [
    `  ${item?.key || id} ${kind ?? 'changed'} on ${at?.slice(0, 10) ?? 'a day that is not stated'}`,
    ` by an agent of ${written(actor?.display_name) || 'somebody who is not stated'}`,
    why === '' ? '' : `: ${why}`,
    title === '' ? '' : ` (written by others: ${JSON.stringify(title)})`,
  ].join('')
}
