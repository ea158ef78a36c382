/** At most `max` UTF-16 units of the text, never half a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** At most `max` UTF-16 units, the last of them an ellipsis where text was cut off; never half a surrogate pair. */
export function cutWithEllipsis(text: string, max: number): string {
  return text.length <= max ? text : `${cut(text, max - 1)}…`
}

/** At most `max` UTF-16 units of the text around a place, with an ellipsis at each end where text was cut off. */
export function cutAround(text: string, place: number, max: number): string {
  if (text.length <= max) return text
  const middle = Math.min(Math.max(place, 0), text.length)
  const start = Math.min(Math.max(0, middle - Math.floor(max / 2)), text.length - max)
  if (start === 0) return cutWithEllipsis(text, max)
  const rest = text.slice(start + 1).toWellFormed()
  return `…${cutWithEllipsis(rest, max - 1)}`
}

/** The text on one line: each run of white space becomes one space, none at the ends. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The text with each run of control characters (C0, DEL and C1, line ends among them) replaced. */
export function replaceControls(text: string, replacement = ''): string {
  return text.replace(/\p{Cc}+/gu, replacement)
}

/**
 * The text with U+FFFD for each NUL, which PostgreSQL refuses, and each unpaired surrogate, which UTF-8 cannot encode. What
 * stands around them stays apart.
 */
export function replaceUnstorable(text: string): string {
  // Both checks take a fraction of the time of a replacement that finds nothing.
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

/**
 * Bytes as text, without a byte order mark. The encoding is the one that a mark names (files of PowerShell and .NET have
 * one), else `declared` if it is a known name, else UTF-8.
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder().decode(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return decoder(declared).decode(bytes)
}

/**
 * The same for what may be an XML document, which may declare its encoding. A declaration that can be read byte by byte is
 * not UTF-16, whatever it says: .NET declares that in files it writes as UTF-8. The text declares UTF-8 in place of another
 * encoding, so that whoever receives it as bytes reads the same.
 */
export function decodeDocument(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 200))
  const declared = DECLARED.exec(start)?.[2] ?? 'utf-8'
  if (/^(?:utf|ucs|iso-10646)/i.test(declared)) return decodeText(bytes)
  return decodeText(bytes, declared).replace(DECLARED, '$1UTF-8$3')
}

const DECLARED = /^((?:\u00ef\u00bb\u00bf)?<\?xml[^>]*\sencoding=["'])([\w-]{1,40})(["'])/i

function decoder(label = 'utf-8'): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
