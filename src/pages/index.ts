import { confirmPage } from './confirm/index.ts'
import type { Decisions } from './confirm/decisions.ts'
import { coverageArea } from './coverage/index.ts'
import { gateArea } from './gate/index.ts'
import { homePage } from './home/index.ts'
import { createAreas, type SignInOptions } from './session/area.ts'
import { copyScript } from './support/copy.ts'
import type { Page } from './support/page.ts'
import type { Prompts } from './support/prompts.ts'
import { createRouter, type Pages } from './support/router.ts'
import { triageArea } from './triage/index.ts'

/**
 * Pages for people, served at the HTTP door (`src/cli/serve.ts`) and, over stdio, by a server of their own
 * (`src/cli/pages/page-server.ts`).
 *
 * To add one: write a folder `src/pages/<name>/` whose `index.ts` makes a `Page` (`support/page.ts`), and put it into the
 * list below. Its functions return `pageReply(status, layout({ title }, html`…`))`: `html` escapes whatever is put into
 * it, `pageReply` sets the headers of every page, `layout` has the style for light, dark and paper. Text that others wrote
 * is shown in an element of class `team` or, if outsiders wrote it, `outside`. A form is `<form method="post">` with
 * `tokenField` for the person's API token and `typedToken` to read it; only forms of our own origin reach `post`. A page for
 * people who are signed in is an `Area` (`session/area.ts`), which gets the product and the client with their token, and
 * draws itself below the navigation with `framed`; what takes long to read can be sent `later`. There is one script, which
 * copies prompts (`support/copy.ts`), and nothing is kept but the sessions, which only read.
 */
export interface PagesOptions {
  /** Undefined where nothing is written (read-only). */
  decisions: Decisions | undefined
  /** Undefined where nothing but confirmations is shown. */
  areas?: SignInOptions & { prompts: Prompts }
  /** Receives bugs. */
  onError: (error: unknown) => void
}

/** All pages. */
export function createPages({ decisions, areas, onError }: PagesOptions): Pages {
  const pages: readonly Page[] = [
    ...(decisions === undefined ? [] : [confirmPage(decisions)]),
    ...(areas === undefined ? [] : areaPages(areas)),
  ]
  return createRouter(pages, onError)
}

function areaPages({ prompts, ...signIn }: NonNullable<PagesOptions['areas']>): Page[] {
  const areas = [triageArea(prompts), gateArea, coverageArea(prompts)]
  return [homePage(), ...areas.map(createAreas(signIn)), copyScript]
}
