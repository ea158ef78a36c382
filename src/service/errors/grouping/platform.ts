import type { NormalEvent, NormalFrame } from '../event/event.ts'
import { eventLanguage } from '../event/language.ts'

/** Languages with their own rules for frames. */
export type Family = 'javascript' | 'python' | 'php' | 'ruby' | 'java' | 'native' | 'csharp' | 'other'

const MEMBERS: Readonly<Partial<Record<Family, string>>> = {
  javascript: 'javascript node typescript',
  python: 'python',
  php: 'php',
  ruby: 'ruby',
  java: 'java kotlin scala groovy android',
  native: 'native c cpp cocoa objc swift rust',
  csharp: 'csharp dotnet fsharp',
}

const BY_LANGUAGE = new Map<string, Family>(
  Object.entries(MEMBERS).flatMap(([family, languages]) =>
    languages.split(' ').map((language): [string, Family] => [language, family as Family]),
  ),
)

/** The language family of an event. A minidump sent by Electron's SDK is native code, as its platform says. */
export function languageFamily(event: Pick<NormalEvent, 'platform' | 'sdk'>): Family {
  return BY_LANGUAGE.get(eventLanguage(event)) ?? 'other'
}

/** The language family of a frame: an event of React Native has frames of several. */
export function frameFamily({ signs }: NormalFrame, ofEvent: Family): Family {
  return signs?.platform === undefined ? ofEvent : (BY_LANGUAGE.get(signs.platform) ?? 'other')
}
