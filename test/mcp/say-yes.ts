import type { User } from './clients.ts'

/** A user who confirms whatever a form asks, and types what it wants. */
export const sayYes: User = ({ requestedSchema: { properties } }) => {
  const { title = '' } = (properties['type_to_confirm'] ?? {}) as { title?: string }
  const [, key] = /^To confirm, type ([^]+)$/.exec(title) ?? []
  return {
    action: 'accept',
    content: { decision: 'confirm', ...(key !== undefined && { type_to_confirm: key }) },
  }
}

/** The same user, who notes what each form says. */
export function yesTo(asked: string[]): User {
  return (form) => {
    asked.push(form.message)
    return sayYes(form)
  }
}
