import { LONGEST_MESSAGE, LONGEST_TRACE, plainText, runTime } from '../model/text.ts'

type Maybe<T> = T | null | undefined

/** The message of a failure as plain text; '' for none. */
export function messageText(text: Maybe<string>): string {
  return plainText(text ?? '', LONGEST_MESSAGE).trim()
}

/** The trace of a failure, or another long text, as plain text; '' for none. */
export function traceText(text: Maybe<string>): string {
  return plainText(text ?? '', LONGEST_TRACE).trim()
}

/** The part of an error's text before its stack. */
export function textBeforeStack(trace: string): string {
  const [head = ''] = trace.split(/^ {2,}at (?=\S)/mu, 1)
  return head.trim()
}

/** The name of a case, suite or project in the form that identifies a case: the same from every report of the tool. */
export function title(text: Maybe<string>): string {
  return plainText(text ?? '').trim()
}

/** The titles that are not blank. */
export function titles(list: Maybe<readonly string[]>): string[] {
  return (list ?? []).map(title).filter((one) => one !== '')
}

/** The distinct tags, without the `@` that only some reporters write. */
export function tagList(tags: Maybe<readonly string[]>): string[] {
  return [...new Set(titles(tags).map((tag) => tag.replace(/^@/u, '')))]
}

/** Epoch milliseconds; null for times that no test run can have. */
export function epochMs(time: Maybe<number>): number | null {
  return runTime(Math.round(time ?? 0))
}
