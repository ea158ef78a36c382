import type { NormalEvent } from './event.ts'

/** The language of an event: its platform, or if that says nothing, what the SDK is for (`sentry.dart.flutter`). */
export function eventLanguage({ platform, sdk }: Pick<NormalEvent, 'platform' | 'sdk'>): string {
  const isUnsaid = platform === '' || platform === 'other'
  return isUnsaid ? (sdk.name.split('.')[1] ?? '') : platform
}
