import { html, type Html } from './html.ts'
import { style } from './style.ts'

/** A document with the common head and one `main`; `title` is the page's heading too. */
export function layout({ title, wide = false }: { title: string; wide?: boolean }, content: Html): Html {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title} – Tracegate</title>
      <link rel="icon" href="data:," />
      <style dangerouslySetInnerHTML=${{ __html: style }} />
    </head>
    <body>
      <main class=${wide ? 'wide' : undefined}>
        <h1>${title}</h1>
        ${content}
      </main>
    </body>
  </html>`
}

/** What a reader has to know at once: what was done, or why not. The first sentence says it. */
export function note(kind: 'good' | 'bad' | 'plain', sentence: string, more?: string): Html {
  return html`<div class=${`note ${kind}`} role=${kind === 'plain' ? undefined : 'status'}>
    <p>${sentence}</p>
    ${more === undefined ? null : html`<p>${more}</p>`}
  </div>`
}

/** Facts as label and value, one a line. */
export function factList(facts: readonly { label: string; value: string | Html }[]): Html {
  return html`<dl>
    ${facts.map(
      ({ label, value }) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}
