import type { Decisions } from './confirm/decisions.ts'
import { confirmPage } from './confirm/index.ts'
import type { Page } from './support/page.ts'
import { gatePage, type GateOptions } from './gate/index.ts'
import { createRouter, type Pages } from './support/router.ts'

/**
 * Pages for people, served at the HTTP door (`src/cli/serve.ts`) and, over stdio, by a server of their own
 * (`src/cli/pages/page-server.ts`).
 *
 * To add one: write a folder `src/pages/<name>/` whose `index.ts` makes a `Page` (`support/page.ts`), and put it into the
 * list below. Its functions return `pageReply(status, layout({ title }, html`…`))`: `html` escapes whatever is put into
 * it, `pageReply` sets the headers of every page, `layout` has the style for light, dark and paper. Text that others wrote
 * is shown in an element of class `team` or, if outsiders wrote it, `outside`. A form is `<form method="post">` with
 * `tokenField` for the person's API token and `typedToken` to read it; only forms of our own origin reach `post`. There is
 * no script, and nothing is kept but the sessions of `gate`, which only read.
 */
export interface PagesOptions {
  /** Undefined where nothing is written (read-only). */
  decisions: Decisions | undefined
  /** Undefined where the gate is not shown. */
  gate?: GateOptions
  /** Receives bugs. */
  onError: (error: unknown) => void
}

/** All pages. */
export function createPages({ decisions, gate, onError }: PagesOptions): Pages {
  const pages: readonly Page[] = [
    ...(decisions === undefined ? [] : [confirmPage(decisions)]),
    ...(gate === undefined ? [] : [gatePage(gate)]),
  ]
  return createRouter(pages, onError)
}
