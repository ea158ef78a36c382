import { html, type Html } from './html.ts'
import { style } from './style.ts'

export interface Document {
  /** The page's heading too. */
  title: string
  wide?: boolean
  /** What stands above the heading. */
  top?: Html
  /** The path of a script of ours. */
  script?: string
}

/** A document with the common head and one `main`. */
export function layout({ title, wide = false, top, script }: Document, content: Html): Html {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title} – Tracegate</title>
      <link rel="icon" href="data:," />
      <style dangerouslySetInnerHTML=${{ __html: style }} />
      ${script === undefined ? null : html`<script src=${script} defer />`}
    </head>
    <body>
      ${top}
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
