import type { NormalEvent } from '../event/event.ts'

/** Languages whose frames have rules of their own. */
export type Family = 'javascript' | 'python' | 'php' | 'ruby' | 'java' | 'other'

const BY_PLATFORM = new Map<string, Family>([
  ['javascript', 'javascript'],
  ['node', 'javascript'],
  ['typescript', 'javascript'],
  ['python', 'python'],
  ['php', 'php'],
  ['ruby', 'ruby'],
  ['java', 'java'],
  ['kotlin', 'java'],
  ['scala', 'java'],
  ['groovy', 'java'],
  ['android', 'java'],
])

/** The family of an event: from its platform, where that says nothing from the SDK's name (`sentry.javascript.node`). */
export function languageFamily({ platform, sdk }: Pick<NormalEvent, 'platform' | 'sdk'>): Family {
  // A minidump that Electron's SDK sends is native for all its name.
  const isUnsaid = platform === '' || platform === 'other'
  return BY_PLATFORM.get(isUnsaid ? (sdk.name.split('.')[1] ?? '') : platform) ?? 'other'
}
