import { inRealTime } from '../../upstream/faults/cell-clock.ts'
import type { Fault } from '../../upstream/faults/fault.ts'
import { faults as everything } from '../../upstream/faults/faults.ts'
import { openMatrix, planned } from '../../upstream/faults/matrix.ts'
import type { Figure, Suite } from '../harness/suite.ts'

const AT_ONCE = 64

/** The fault matrix of the tests, for faults whose time counts. */
export const faults: Suite = {
  about:
    'Every call against every deployment that goes silent, in real time, as in test/mcp/faults.test.ts: seconds until the agent has its answer.',
  onlyNamed: 'It waits for every timeout, which takes minutes.',
  async run() {
    await using matrix = await openMatrix(AT_ONCE, inRealTime)
    const cells = await matrix.run(everything.filter(isSilent).flatMap((fault) => planned(fault, matrix)))
    const seconds = [...Map.groupBy(cells, ({ fault }) => fault?.name ?? 'none')].map(([fault, row]): Figure => ({
      name: fault,
      unit: 's',
      values: row.map(({ tookMs }) => tookMs / 1_000),
    }))
    const wrong = cells.filter((cell) => cell.wrong.length > 0)
    const goals = [{ of: 'median', most: 0 }] as const
    const told = wrong.map((cell) => `${cell.subject.name}, ${cell.fault?.name ?? ''}: ${cell.wrong.join('; ')}`)
    return [
      { title: 'Seconds until an answer, one value for each call', figures: seconds },
      {
        title: 'Answers that say something wrong',
        figures: [{ name: 'wrong answers', unit: 'calls', values: [wrong.length], goals }],
        notes: told,
      },
    ]
  },
}

function isSilent({ strike }: Fault): boolean {
  return strike.kind === 'back' && /^(?:silence|drip)$/.test(strike.cut?.next ?? '')
}
