import { randomUUID } from 'node:crypto'
import { renderToString } from 'preact-render-to-string'
import type { Html } from './html.ts'

/** Stands in a document for the part that `renderInParts` waits for. It cannot be guessed, so no other text contains it. */
export const LATER: string = randomUUID()

/** A whole document. */
export function renderDocument(document: Html): string {
  return `<!doctype html>${render(document)}\n`
}

/**
 * A document as UTF-8 whose content takes time: what stands before `LATER` at once, so that the browser begins with it,
 * and the rest when the content is there. `content` is called only if somebody reads.
 */
export async function* renderInParts(document: Html, content: () => Promise<Html>): AsyncGenerator<Uint8Array> {
  const [before = '', after = ''] = renderDocument(document).split(LATER)
  yield Buffer.from(before)
  yield Buffer.from(render(await content()) + after)
}

/** A piece of a document. */
export function render(piece: Html): string {
  return [piece]
    .flat()
    .map((node) => renderToString(node))
    .join('')
}
