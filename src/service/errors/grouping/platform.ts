import type { NormalEvent } from '../event/event.ts'

/** Languages with their own rules for frames. */
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

/**
 * The language family of an event: by its platform, or if that says nothing, by the SDK's name
 * (`sentry.javascript.node`).
 */
export function languageFamily({ platform, sdk }: Pick<NormalEvent, 'platform' | 'sdk'>): Family {
  // A minidump sent by Electron's SDK is native code, although the SDK's name says JavaScript.
  const isUnsaid = platform === '' || platform === 'other'
  return BY_PLATFORM.get(isUnsaid ? (sdk.name.split('.')[1] ?? '') : platform) ?? 'other'
}
