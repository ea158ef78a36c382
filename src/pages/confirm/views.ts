import { clean } from '../../lib/outside-text/clean.ts'
import type { Pending } from '../../mcp/call/run-confirmed.ts'
import { CONFIRMATION_MS } from '../../mcp/confirm/token.ts'
import { toMinute } from '../../mcp/result/present.ts'
import { html, type Html } from '../support/html.ts'
import { factList, layout, note } from '../support/layout.ts'
import { tokenField } from '../support/token-field.ts'
import type { Written } from './decisions.ts'

/** What is decided, on what facts, and the form that confirms it; `refused` says why it was not confirmed just now. */
export function questionPage(code: string, pending: Pending, refused?: Html): Html {
  const { asks } = pending.question
  return layout(
    { title: clean(asks) },
    html`${refused ?? note('plain', 'An agent prepared this. A person has to decide.', 'Nothing is written yet.')}
    ${factList(facts(pending))}${form(code, pending)}`,
  )
}

function facts({ question, confirmation: { args, expiresAt } }: Pending): { label: string; value: string }[] {
  const { product, undo } = question
  const { reason } = args
  const preparedAt = shownTime(expiresAt - CONFIRMATION_MS)
  return [
    ...(product === undefined ? [] : [{ label: 'Product', value: clean(product.name ?? product.id) }]),
    ...question.facts.map(({ label, value }) => ({ label: clean(label), value: clean(value) })),
    ...(typeof reason === 'string' ? [{ label: 'Reason that the agent gives', value: clean(reason) }] : []),
    { label: 'Undo', value: undoing(undo) },
    { label: 'Recorded as', value: 'The owner of the token that you type' },
    { label: 'State', value: `As read at ${preparedAt}. If it has changed, nothing is written.` },
    { label: 'Can be confirmed until', value: shownTime(expiresAt) },
  ]
}

function form(code: string, { key, question }: Pending): Html {
  return html`<h2>Decide</h2>
    <p>To leave everything as it is, close this page.</p>
    <form method="post" action="/confirm" autocomplete="off">
      <input type="hidden" name="t" value=${code} />
      ${key === undefined ? null : keyField(clean(key))}
      ${tokenField({ help: 'Your own, not the agent’s. It is used for this decision only and is not stored.' })}
      <button>Confirm: ${clean(question.asks)}</button>
    </form>`
}

function keyField(key: string): Html {
  return html`<label for="typed">Type <code>${key}</code> to confirm</label>
    <input
      id="typed"
      name="typed"
      required
      maxlength="500"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
    />`
}

/** What was written, and by whom. */
export function writtenPage({ question, answer, recorded }: Written): Html {
  return layout(
    { title: 'Confirmed' },
    html`${note('good', clean(question.asks), 'It is written. The agent learns it when it reads the state again.')}
    ${factList([
      { label: 'Result', value: clean(answer) },
      { label: 'Recorded as', value: recorded === undefined ? 'Not stated by this deployment' : clean(recorded) },
      { label: 'Undo', value: undoing(question.undo) },
    ])}`,
  )
}

function undoing(undo: string): string {
  return undo === '' ? 'Not possible' : clean(undo)
}

/** A time as people read it: to the minute, in UTC. */
function shownTime(ms: number): string {
  return (toMinute(new Date(ms).toISOString()) ?? '').replace('T', ' ').replace('Z', ' UTC')
}
