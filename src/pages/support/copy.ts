import { html, type Html } from './html.ts'
import type { Page } from './page.ts'
import { scriptReply } from './reply.ts'

/** Where the script is served that `copyButton` needs. */
export const COPY_SCRIPT = '/copy.js'

/**
 * Copies the text of the element that a button names. Without the clipboard's own interface, which browsers have on
 * loopback and over https only, the text is selected and copied as by hand; where that fails too, it stays selected.
 */
const script = `'use strict'
for (const button of document.querySelectorAll('button[data-copies]')) button.hidden = false
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-copies]')
  const source = button && document.getElementById(button.dataset.copies)
  if (!source) return
  const isCopied = await copy(source)
  button.firstChild.data = isCopied ? 'Copied' : 'Press Ctrl+C'
  document.getElementById('copied').textContent = isCopied ? 'The prompt is copied.' : 'The prompt is selected: copy it.'
  setTimeout(() => (button.firstChild.data = 'Copy prompt'), 2000)
})
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    for (let at = source; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true
    getSelection().selectAllChildren(source)
    return document.execCommand('copy')
  }
}
`

/** The script as a file of its own: pages have no inline scripts. */
export const copyScript: Page = { name: COPY_SCRIPT.slice(1), get: () => scriptReply(script) }

/** A button that copies the text of the element with the id; absent without scripts, where the text can be selected. */
export function copyButton(id: string, purpose: string): Html {
  return html`<button type="button" class="plain" hidden data-copies=${id}>
    Copy prompt<span class="unseen"> ${purpose}</span>
  </button>`
}

/** A text to copy, or to select. */
export function copyText(id: string, text: string): Html {
  return html`<pre id=${id} class="copy-text" tabindex="0">${text}</pre>`
}

/** Where readers that do not see the page hear that something was copied; once on a page. */
export function copyStatus(): Html {
  return html`<p id="copied" class="unseen" role="status"></p>`
}
