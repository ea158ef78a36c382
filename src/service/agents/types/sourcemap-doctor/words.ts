import { counted } from '../../../../lib/counted.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import { isVouchedFor } from './fix.ts'
import { causes, type Cause, type FixBody, type GroupBody, type Window } from './schema.ts'

/** Whether frames with that cause are still minified and can be repaired. */
export function isOpen(cause: Cause): boolean {
  return cause !== 'UPLOADED_AFTER_EVENT' && cause !== 'GENERATED_CODE'
}

/** By cause: the number of groups. */
export function countCauses(groups: readonly GroupBody[]): Partial<Record<Cause, number>> {
  const counts = causes.map((cause) => [cause, groups.filter((group) => group.cause === cause).length] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** One group in a sentence. Names of files are text of events, so only the data of the finding has them. */
export function describe({ cause, release, frames, events, issues }: GroupBody): string {
  const where = release.known ? ` of ${cutWithEllipsis(release.version, 60)}` : ''
  return `${cause}: ${counted(frames, 'frame')} of one file${where}, in ${counted(events, 'event')} of ${counted(issues.count, 'issue')}.`
}

interface Summarised {
  groups: readonly GroupBody[]
  fixes: readonly FixBody[]
  issues: number
  window: Window
}

/** Which files stay minified, and what to do next. */
export function summarise({ groups, fixes, issues, window }: Summarised): string {
  const open = groups.filter(({ cause }) => isOpen(cause))
  const late = countFiles(groups.filter(({ cause }) => cause === 'UPLOADED_AFTER_EVENT'))
  const lateText =
    late === 0 ? '' : ` The map of ${counted(late, 'file')} came after the events: upload before deploying.`
  if (open.length === 0) return `No frame of the last ${window} is still minified.${lateText}`
  const causesText = Object.entries(countCauses(open))
    .map(([cause, count]) => `${String(count)} ${cause}`)
    .join(', ')
  const releases = new Set(open.map(({ release }) => release.version)).size
  const files = countFiles(open)
  const where = `${counted(files, 'file')} of ${counted(releases, 'release')} ${files === 1 ? 'stays' : 'stay'} minified`
  return `${where}, in ${counted(issues, 'issue')} of the last ${window}: ${causesText}.${lateText} Next: ${nextStep(open, fixes)}`
}

function countFiles(groups: readonly GroupBody[]): number {
  return new Set(groups.map(({ release, file }) => JSON.stringify([release.version, file]))).size
}

/** The command that repairs most, without text of events. */
function nextStep(open: readonly GroupBody[], fixes: readonly FixBody[]): string {
  const vouched = new Set(open.filter(isVouchedFor).map(({ fix }) => fix.command))
  return fixes.find(({ command }) => vouched.has(command))?.command ?? open[0]?.fix.text ?? ''
}
