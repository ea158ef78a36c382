import { createHash } from 'node:crypto'
import type { WireReply } from '../../contract/base/wire.ts'
import { renderDocument, type Html } from './html.ts'
import { style } from './style.ts'

/**
 * What the browser may do with our pages: show their own style and send their forms back. No script, no other origin, no
 * frame around them, no copy on disk, and no address of ours in a request to somebody else. The policy is `same-origin`
 * instead of `no-referrer`, with which browsers send `Origin: null` with our own forms.
 */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
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

/** A page as a reply: every page of ours is sent with the same headers. */
export function pageReply(status: number, document: Html): WireReply {
  return { status, headers: { ...headers }, body: renderDocument(document) }
}
