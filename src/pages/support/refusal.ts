import type { WireReply } from '../../contract/base/wire.ts'
import { html, type Html } from './html.ts'
import { layout, note } from './layout.ts'
import { pageReply } from './reply.ts'

export interface Refusal {
  status: number
  title: string
  /** Why, in a sentence. */
  reason: string
  /** What the person can do now. */
  next: string
}

/** A page that says why nothing was done and what to do next; `more` follows, such as the form again. */
export function refusalReply({ status, title, reason, next }: Refusal, more?: Html): WireReply {
  return pageReply(status, layout({ title }, html`${note('bad', reason, next)}${more}`))
}

/** For an address without a page. */
export function noSuchPage(): WireReply {
  return refusalReply({
    status: 404,
    title: 'There is no such page',
    reason: 'No page is served at this address.',
    next: 'Check the address: it may have been cut off when it was copied.',
  })
}
