import { clean } from '../../../lib/outside-text/clean.ts'
import { folded } from './plan.ts'

/** Numbers, UUIDs, hex digests and keys such as SHOP-31, as they may occur between `#` and a full stop. */
const ID = /^(?:\d{1,19}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z][a-z0-9]{0,9}-\d{1,10})$/i

/**
 * Extracts the id or name from pasted text: a web address, surrounding quotes, backticks or brackets, a leading `#`, a trailing full
 * stop, invisible characters.
 */
export function cleanId(thing: string, given: string): string {
  let text = clean(given).trim()
  for (let layer = 0; layer < 3; layer += 1) {
    text = text
      .replace(/^(["'`])(.*)\1\.?$/s, '$2')
      .replace(/^\[([^[\]]*)\]$/, '$1')
      .trim()
  }
  const bare = text.replace(/^#/, '').replace(/\.$/, '')
  if (ID.test(bare)) return bare
  return (idInAddress(thing, text) ?? text) || given
}

/** The segment of a web address after `/issues/` (or `error-issue`, or another name of the noun). */
function idInAddress(thing: string, text: string): string | undefined {
  if (!/^(?:https?|tracegate):\/\/\S+$/i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, host, pathname } = new URL(text)
  // tracegate://error-issue/{id} has its first segment in place of the host.
  const path = protocol === 'tracegate:' ? `/${host}${pathname}` : pathname
  const segments = path.split('/')
  const at = segments.findIndex((segment) => names(thing, segment))
  const id = at === -1 ? undefined : segments[at + 1]
  return id !== undefined && /^[\w-]{1,128}$/.test(id) ? id : undefined
}

function names(thing: string, segment: string): boolean {
  const word = folded(segment)
  const singular = word.endsWith('es') ? [word.slice(0, -1), word.slice(0, -2)] : [word.replace(/s$/, '')]
  return singular.some((name) => name === thing || ['error', 'agent', 'quality'].some((kind) => name === kind + thing))
}
