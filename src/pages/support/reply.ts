import { hash } from 'node:crypto'
import type { WireReply } from '../../contract/base/wire.ts'
import { renderDocument, renderInParts } from './document.ts'
import type { Html } from './html.ts'
import { style } from './style.ts'

/**
 * What the browser may do with our pages: show their own style and send their forms back. No other origin, no
 * frame around them, no copy on disk, and no address of ours in a request to somebody else. The policy is `same-origin`
 * instead of `no-referrer`, with which browsers send `Origin: null` with our own forms.
 */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    // The empty icon, without which browsers ask for /favicon.ico.
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

export interface ReplyOptions {
  /** Whether the page runs a script of ours. */
  script?: boolean
  /** Makes what stands at `LATER` in the document, which is sent before. */
  later?: () => Promise<Html>
}

/** A page as a reply: every page of ours is sent with the same headers, and only a page with `script` may run one. */
export function pageReply(status: number, document: Html, { script = false, later }: ReplyOptions = {}): WireReply {
  const policy = headers['content-security-policy']
  const allowed = script ? { 'content-security-policy': `${policy}; script-src 'self'` } : {}
  const body = later === undefined ? renderDocument(document) : renderInParts(document, later)
  return { status, headers: { ...headers, ...allowed }, body }
}

/** The same page with a cookie. */
export function withCookie(reply: WireReply, cookie: string): WireReply {
  return { ...reply, headers: { ...reply.headers, 'set-cookie': cookie } }
}

/** Sends the browser to another page of ours, after a form with a cookie. */
export function redirectReply(path: string): WireReply {
  return { status: 303, headers: { ...headers, location: path }, body: '' }
}

/** A script of ours for our pages. */
export function scriptReply(text: string): WireReply {
  const type = 'text/javascript; charset=utf-8'
  return {
    status: 200,
    headers: { ...headers, 'content-type': type, 'content-security-policy': "default-src 'none'" },
    body: text,
  }
}

/** A file that the browser saves and never shows as a page of this origin. */
export function downloadReply({ type, text, name }: { type: string; text: string; name: string }): WireReply {
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: text,
  }
}
