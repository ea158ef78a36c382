import { html, type Html } from './html.ts'

/** The name of the field with the person's API token. */
const TOKEN = 'api_token_once'

/**
 * The field for the person's own API token. Browsers and password managers neither fill it nor offer to keep what is
 * typed: `one-time-code` is the only purpose that they do not save, and the other attributes tell four managers to stay away.
 */
export function tokenField({ help }: { help: string }): Html {
  return html`<label for="token">Your API token</label>
    <p class="help" id="token-help">${help}</p>
    <input
      id="token"
      name=${TOKEN}
      type="password"
      required
      maxlength="4096"
      autocomplete="one-time-code"
      autocapitalize="off"
      spellcheck="false"
      aria-describedby="token-help"
      data-1p-ignore
      data-bwignore
      data-lpignore="true"
      data-form-type="other"
    />`
}

/** The token that was typed, without the white space that copying adds; undefined when none could be one. */
export function typedToken(form: URLSearchParams): string | undefined {
  const typed = form.get(TOKEN)?.trim() ?? ''
  return /^[\x21-\x7e]+$/.test(typed) ? typed : undefined
}
