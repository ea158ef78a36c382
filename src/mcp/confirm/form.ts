import { isObject } from '../../lib/objects.ts'
import { cutTo } from '../../lib/outside-text/clean.ts'

/**
 * How a client shows the titles of choices: `titled` as `oneOf` (2025-11-25 and later), `named` as `enumNames` (before).
 */
export type FormKind = 'titled' | 'named'

/** What came back from a form: `none` after the deadline, `failed` where the client could not ask. */
export interface FormAnswer {
  action: 'accept' | 'decline' | 'cancel' | 'none' | 'failed'
  content?: Readonly<Record<string, unknown>> | undefined
}

/** A form of a single choice and, at level 3 and 4, a text: other fields are not shown by every client. */
export interface Form {
  message: string
  requestedSchema: {
    type: 'object'
    properties: Record<string, FormField>
    required: string[]
  }
}

export type FormField = { type: 'string'; title: string; description?: string } & (
  | { oneOf: { const: string; title: string }[] }
  | { enum: string[]; enumNames: string[] }
  | { minLength: number }
)

const DECISION = 'decision'
const TYPED = 'type_to_confirm'
const CONFIRM = 'confirm'
/** Choices are short in every client's dialog. */
const CHOICE_CHARACTERS = 80

/** The names and values of the choices. The first is the one that a client may mark by itself, so it changes nothing. */
function choices(asks: string): { const: string; title: string }[] {
  return [
    { const: 'decline', title: 'No, change nothing' },
    { const: CONFIRM, title: `Yes: ${cutTo(asks, CHOICE_CHARACTERS)}` },
  ]
}

/** The form for a question; `key` is what the person has to type, where the level asks for it. */
export function confirmForm(
  kind: FormKind,
  { asks, preview, key }: { asks: string; preview: string; key: string | undefined },
): Form {
  const all = choices(asks)
  // Some clients hide the choices behind the field (and show only its title).
  const lines = [preview, '', ...all.map(({ title }) => `- ${title}`)]
  const decision: FormField = {
    type: 'string',
    title: 'Decision',
    ...(kind === 'titled'
      ? { oneOf: all }
      : { enum: all.map((choice) => choice.const), enumNames: all.map(({ title }) => title) }),
  }
  const typed: FormField | undefined =
    key === undefined ? undefined : { type: 'string', title: `To confirm, type ${key}`, minLength: 1 }
  return {
    message: [...lines, ...(key === undefined ? [] : [`To confirm, also type ${key}`])].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: { [DECISION]: decision, ...(typed && { [TYPED]: typed }) },
      required: [DECISION, ...(typed === undefined ? [] : [TYPED])],
    },
  }
}

/** Whether the person chose to confirm. Anything else is a no, also a form that was accepted as it came. */
export function isConfirmed({ action, content }: FormAnswer): boolean {
  return action === 'accept' && content?.[DECISION] === CONFIRM
}

/** What the person typed; empty if nothing. */
export function typedText({ content }: FormAnswer): string {
  const typed = content?.[TYPED]
  return typeof typed === 'string' ? typed : ''
}

/** Reads the answer as it came from the client; what is none has `failed`. */
export function readAnswer(raw: unknown): FormAnswer {
  if (!isObject(raw)) return { action: 'failed' }
  const { action, content } = raw
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return { action: 'failed' }
  return { action, content: isObject(content) ? content : undefined }
}
