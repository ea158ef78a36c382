import type { Send, WireReply, WireRequest } from '../../contract/base/wire.ts'
import { IntakeError, type Intake } from '../../lib/intake.ts'
import { render } from './document.ts'
import { createFormIntake, readForm } from './form-body.ts'
import { note } from './layout.ts'
import type { Page } from './page.ts'
import { noSuchPage, refusalReply } from './refusal.ts'
import { isSameOrigin } from './same-origin.ts'

/** All pages behind one address. The caller has checked the Host header. */
export interface Pages {
  /** Whether the first segment of a path is a page. */
  has(segment: string): boolean
  /** Answers every request to one of them with a page; never rejects. */
  answer: Send
}

/** Serves pages; `onError` receives bugs, whose details the reader does not see. */
export function createRouter(pages: readonly Page[], onError: (error: unknown) => void): Pages {
  const byName = new Map(pages.map((page) => [page.name, page]))
  const intake = createFormIntake()
  return {
    has: (segment) => byName.has(segment),
    async answer(request) {
      const url = new URL(request.url)
      const page = byName.get(url.pathname.slice(1))
      if (page === undefined) return noSuchPage()
      // What is not read to its end fails, and nobody is there to see it.
      const report = (error: unknown) => {
        if (request.signal?.aborted !== true) onError(error)
      }
      try {
        return reporting(await answer(request, { page, url, intake }), report)
      } catch (error) {
        if (error instanceof IntakeError) return refusalReply(slowForm)
        report(error)
        return refusalReply(bug)
      }
    },
  }
}

async function answer(
  request: WireRequest,
  { page, url, intake }: { page: Page; url: URL; intake: Intake },
): Promise<WireReply> {
  const { method, signal } = request
  const { cookie: cookies, accept, 'x-forwarded-prefix': prefix = '' } = request.headers
  // Each of several proxies adds its own, and one that takes off nothing sends an empty value or the root.
  if (/[^/,\s]/.test(prefix)) return refusalReply(belowPath)
  if (method === 'GET') return page.get({ url, cookies, accept, signal })
  if (method !== 'POST' || page.post === undefined) return refusalReply(wrongMethod)
  if (!isSameOrigin(request)) {
    // The browser says that it was a page of ours, so it asked for another host than the request names.
    const isChanged = request.headers['sec-fetch-site'] === 'same-origin'
    return refusalReply(isChanged ? { ...crossSite, next: `${crossSite.next} ${passHost}` } : crossSite)
  }
  const form = await readForm(request, intake)
  return form === undefined ? refusalReply(noForm) : page.post({ url, cookies, signal, form })
}

/** A bug in a part that is sent later is reported too, and the reader sees that the page is not whole. */
function reporting(reply: WireReply, report: (error: unknown) => void): WireReply {
  const { body } = reply
  if (typeof body === 'string' || body instanceof Uint8Array) return reply
  return { ...reply, body: parts(body, report) }
}

async function* parts(body: AsyncIterable<Uint8Array>, report: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    report(error)
    yield Buffer.from(render(note('bad', 'The rest of the page could not be made.', bug.next)))
  }
}

const nothingDone = 'Nothing was done'
const again = 'Open the link again and fill in the page that it shows.'
const wrongMethod = { status: 405, title: nothingDone, reason: 'This page only shows something.', next: again }
const crossSite = {
  status: 403,
  title: nothingDone,
  reason: 'This form was sent by a page of another site, so it was refused.',
  next: `${again} If you did not send a form, you have nothing to do.`,
}
/** Some proxies say which path they took off; the links and the cookie of the pages are those of a whole host. */
const belowPath = {
  status: 400,
  title: 'Not at this address',
  reason: 'The proxy in front of this server serves it below a path, where its links and forms do not work.',
  next: 'Tell the operator: Tracegate needs a host name or a port of its own.',
}
const passHost =
  'If it was this page, the proxy in front of this server has to pass on the Host header of the browser: tell the operator.'
const noForm = { status: 400, title: nothingDone, reason: 'What was sent is no form of this page.', next: again }
const slowForm = { status: 408, title: nothingDone, reason: 'The form did not arrive in time.', next: again }
const bug = {
  status: 500,
  title: 'Something went wrong',
  reason: 'The page could not be made.',
  next: 'Read the state again before you repeat anything. The log of the server has the details.',
}
