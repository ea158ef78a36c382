import { element } from './dom.ts'

/** Bring visitors who come from a mail (`/#newsletter`) to the form. */
export function openNewsletter(hash: string): void {
  if (hash === '#newsletter') focusForm('#newsletter-form')
}

function focusForm(selector: string): void {
  const form = element<HTMLFormElement>(selector)
  form.scrollIntoView({ behavior: 'smooth' })
  element<HTMLInputElement>('input', form).focus()
}
