import type { Tool } from '../define/define.ts'
import { TeachingError, type Lesson } from '../result/teach.ts'
import { asksForKey, isAllowed, type Asking } from './asking.ts'
import { confirmForm, type Form } from './form.ts'
import { prepare, previewWithWays } from './prepare.ts'
import { previewLines } from './preview.ts'

/** A form for the person, and the state that comes back with the answer. */
export interface Asked {
  form: Form
  token: string
}

/**
 * Returns the form that asks the person. Throws `confirmation_required` with the preview and the other ways where the
 * client shows none, or where the operator or the tool allows none. `why` says what made the call need a person.
 */
export async function askPerson(asking: Asking, why?: string): Promise<Asked> {
  const { tool, form } = asking
  const prepared = await prepare(asking)
  if (prepared === undefined) throw refusal(tool, why)
  if (form === undefined || !isAllowed('form', asking)) {
    throw refusal(tool, why, {
      hint: isAllowed('handle', asking)
        ? 'show the user the preview; only when they agree, repeat this call with the confirmation below'
        : 'show the user the preview and the ways below: only the user can confirm this',
      attached: await previewWithWays(asking, prepared, { withHandle: true }),
    })
  }
  const { asks, key } = prepared.question
  const preview = previewLines(prepared.preview).join('\n')
  return {
    form: confirmForm(form, { asks, preview, key: asksForKey(asking) ? key : undefined }),
    token: prepared.token,
  }
}

/** The failure of a call that no person has confirmed. */
export function refusal(tool: Tool, why?: string, lesson: Lesson = {}): TeachingError {
  const message = why ?? `${tool.name} with these arguments needs a person's confirmation`
  return new TeachingError('confirmation_required', `${message}; nothing was written`, {
    ...(tool.unconfirmed !== undefined && { hint: tool.unconfirmed }),
    ...lesson,
  })
}
