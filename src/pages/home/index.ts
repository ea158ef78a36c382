import type { Page } from '../support/page.ts'
import { noSuchPage } from '../support/refusal.ts'
import { redirectReply } from '../support/reply.ts'

/** `/`: browsers come to the triage board; programs are told that nothing is served here. */
export function homePage(): Page {
  return {
    name: '',
    get: ({ accept = '' }) => (accept.includes('text/html') ? redirectReply('/triage') : noSuchPage()),
  }
}
