import { counted } from '../../../../lib/counted.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import { explainFolder, isVouchedFor, sayFix } from './fix.ts'
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
export function describe({ cause, release, frames, events, issues }: Omit<GroupBody, 'fix'>): string {
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
  return `${sayFiles(open)} of ${counted(releases, 'release')} ${countFiles(open) === 1 ? 'stays' : 'stay'} minified, in ${counted(issues, 'issue')} of the last ${window}: ${causesText}.${lateText} ${nextStep(open, fixes)}`
}

/** `6 files (4 different names)`: a file counts once in each release. */
function sayFiles(groups: readonly GroupBody[]): string {
  const names = new Set(groups.map(({ file }) => file)).size
  const files = countFiles(groups)
  return `${counted(files, 'file')}${names === files ? '' : ` (${counted(names, 'different name')})`}`
}

function countFiles(groups: readonly GroupBody[]): number {
  return new Set(groups.map(({ release, file }) => JSON.stringify([release.version, file]))).size
}

/** The fix that repairs most, without text of events, and how many there are. */
function nextStep(open: readonly GroupBody[], fixes: readonly FixBody[]): string {
  const needed = fixes.filter(({ number }) => open.some(({ fix }) => fix === number))
  const next = needed.length === 1 ? 'Next' : `Next, one of ${String(needed.length)} fixes`
  for (const { number, command } of needed) {
    const vouched = command === '' ? undefined : open.find((group) => group.fix === number && isVouchedFor(group))
    if (vouched !== undefined) return `${next}: ${command} (${explainFolder(vouched.file)})`
  }
  const first = open.find(({ fix }) => fix === needed[0]?.number)
  return `${next}: ${first === undefined ? '' : sayFix(first.cause)}`
}
