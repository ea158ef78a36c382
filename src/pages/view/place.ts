import { render } from 'preact'
import type { Html } from '../support/html.ts'

/** The part of a browser's document that a view uses: the program has no types of the DOM. */
interface Root {
  querySelector(selector: string): (Parameters<typeof render>[1] & { textContent: string | null }) | null
}

/** Empties the place of a view's file, and returns how to draw there. */
export function createPlace(): (content: Html) => void {
  const main = (globalThis as unknown as { document: Root }).document.querySelector('main')
  if (main === null) throw new Error('the view has no place to draw in')
  main.textContent = ''
  return (content) => render(content as Parameters<typeof render>[0], main)
}
