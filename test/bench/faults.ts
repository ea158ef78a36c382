import { inRealTime } from '../upstream/faults/cell-clock.ts'
import type { Cell } from '../upstream/faults/cell.ts'
import type { Fault, Place } from '../upstream/faults/fault.ts'
import { faults as everything } from '../upstream/faults/faults.ts'
import { openMatrix, planned } from '../upstream/faults/matrix.ts'

const AT_ONCE = 64

/** Every call against every upstream that goes silent, in real time: seconds until the agent has its answer. */
export async function faults(): Promise<void> {
  await using matrix = await openMatrix(AT_ONCE, inRealTime)
  const silent = everything.filter(isSilent)
  const cells = await matrix.run(silent.flatMap((fault) => planned(fault, matrix)))
  for (const [fault, row] of Map.groupBy(cells, (cell) => cell.fault?.name ?? '')) {
    console.log(`  ${fault}`)
    for (const [subject, few] of Map.groupBy(row, (cell) => cell.subject.name)) {
      console.log(`    ${subject.padEnd(34)} ${few.map(seconds).join('  ')}`)
    }
  }
  const longest = cells.reduce((a, b) => (b.tookMs > a.tookMs ? b : a))
  console.log(
    `  longest of ${String(cells.length)}: ${seconds(longest)} s, ${longest.subject.name}, ${longest.fault?.name ?? ''}`,
  )
  for (const { subject, fault, wrong } of cells.filter((cell) => cell.wrong.length > 0)) {
    console.log(`  wrong: ${subject.name}, ${fault?.name ?? ''}: ${wrong.join('; ')}`)
  }
}

function isSilent({ strike }: Fault): boolean {
  return strike.kind === 'back' && /^(?:silence|drip)$/.test(strike.cut?.next ?? '')
}

const widths: Readonly<Record<Place, string>> = {
  first: '1st',
  second: '2nd',
  write: 'write',
  after: 'after',
  always: 'all',
}

function seconds({ place, tookMs, outcome }: Cell): string {
  return `${widths[place]} ${(tookMs / 1000).toFixed(1)} (${outcome})`
}
