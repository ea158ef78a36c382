import type { Format } from './formats.ts'

/** What a secret may be wrapped in; undefined where the wrapper does not fit the format. */
type Wrapper = (text: string, format: Format) => string | undefined

const json = (text: string) => JSON.stringify(text)
const percent = (text: string) => encodeURIComponent(text)
const entities = (text: string) =>
  text.replaceAll(/[^A-Za-z\d]/g, (character) => `&#${String(character.charCodeAt(0))};`)
/** In the middle of what must not be shown. */
const inside = (text: string, { core }: Format, between: string) => {
  const at = text.indexOf(core) + Math.ceil(core.length / 2)
  return text.slice(0, at) + between + text.slice(at)
}

export const wrappers: Readonly<Record<string, Wrapper>> = {
  plain: (text) => text,
  'in a sentence': (text) => `the call failed with ${text} after 3 s`,
  'double quotes': (text) => `got "${text}" instead`,
  'single quotes': (text) => `got '${text}' instead`,
  backticks: (text) => `got \`${text}\` instead`,
  'template literal': (text) => `throw new Error(\`\${x} ${text}\`)`,
  parentheses: (text) => `failed (${text})`,
  'angle brackets': (text) => `failed <${text}>`,
  JSON: (text) => `{"error":${json(text)}}`,
  'JSON in JSON': (text) => json(`{"error":${json(text)}}`),
  'JSON three deep': (text) => json(json(`{"error":${json(text)}}`)),
  'percent-encoded': (text) => `at /x?e=${percent(text)}`,
  'percent-encoded twice': (text) => `at /x?e=${percent(percent(text))}`,
  'JSON, percent-encoded': (text) => `at /x?e=${percent(json(text))}`,
  'character references': (text) => `<p>${entities(text)}</p>`,
  'references in JSON': (text) => json(`<p title="${entities(text)}">`),
  'terminal colour': (text) => `\u001b[31m${text}\u001b[0m`,
  'colour without escape': (text) => `[31m${text}[0m`,
  'caret notation': (text) => `^[[31m${text}^[[0m`,
  'escaped colour': (text) => String.raw`\u001b[31m${text}\u001b[0m`,
  'hex-escaped colour': (text) => String.raw`\x1b[1;31m${text}\x1b[0m`,
  'zero-width before': (text) => `failed\u200b${text}`,
  'zero-width around': (text) => `failed\u200b\u2060${text}\ufeff`,
  'zero-width inside': (text, format) => inside(text, format, '\u200b'),
  'colour inside': (text, format) => inside(text, format, '\u001b[1m'),
  'NUL before': (text) => `failed\0${text}`,
  'replaced NUL before': (text) => `failed\ufffd${text}`,
  'replaced NUL inside': (text, format) => inside(text, format, '\ufffd'),
  'newline before': (text) => `failed\n${text}\nend`,
  'tab before': (text) => `failed\t${text}\tend`,
  'literal newline': (text) => String.raw`{"error":"denied\n${text}\nend"}`,
  'literal tab': (text) => String.raw`denied\t${text}\tend`,
  'literal return': (text) => String.raw`denied\r\n${text}\r\n`,
  'twice escaped newline': (text) => String.raw`denied\\n${text}\\nend`,
  'part of a name': (text) => `key_${text}`,
  'behind key=': (text) => `key=${text}`,
  'behind key:': (text) => `key: ${text}`,
  'header line': (text) => `X-Debug: ${text}\nHost: shop.example`,
  'command line': (text) => `run --debug '${text}' --verbose`,
  SQL: (text) => `SELECT * FROM log WHERE note = '${text.replaceAll("'", "''")}' LIMIT 1`,
  XML: (text) => `<note>${text}</note>`,
  multipart: (text) => `--x\r\nContent-Disposition: form-data; name="note"\r\n\r\n${text}\r\n--x--`,
  'list of lines': (text) => `["one",${json(text)},"three"]`,
  'code with numbers': (text) => `  12 | call()\n> 13 | send(${json(text)})\n     | ^`,
  'before a full stop': (text) => `It was ${text}.`,
  'cut with an ellipsis': (text, format) => cut(text, format, '…'),
  'cut at 200 characters': (text, format) => {
    const shown = cut(text, format, '')
    return shown && `${'x'.repeat(199 - shown.length)} ${shown}`
  },
}

/** The text as far as four characters of what must not be shown. */
function cut(text: string, { core, canBeCut }: Format, end: string): string | undefined {
  return canBeCut ? text.slice(0, text.indexOf(core) + 4) + end : undefined
}

/** What of the secret must not be shown in this wrapper. */
export function hiddenPart(wrapper: string, format: Format): string {
  if (!wrapper.startsWith('cut')) return format.core
  const before = format.text.slice(0, format.text.indexOf(format.core)).slice(-4)
  return before + format.core.slice(0, 4)
}
