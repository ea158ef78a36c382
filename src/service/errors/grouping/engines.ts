import type { NormalEvent } from '../event/event.ts'

/** JavaScript engines, whose stacks differ in more than spelling; '' when the engine cannot be determined. */
type Engine = 'v8' | 'spidermonkey' | 'javascriptcore' | ''

/** Exceptions and frames that are examined: the first sign decides, and an event may have thousands. */
const LOOKED_AT = 50

/** The engine an event comes from: by the browser's user agent, else by the wording of its messages and stacks. */
export function detectEngine(event: NormalEvent): Engine {
  if (event.platform === 'node') return 'v8'
  return byBrowser(readUserAgent(event)) || byWords(event)
}

function readUserAgent({ request: { headers } }: NormalEvent): string {
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'user-agent') return String(value).slice(0, 512)
  }
  return ''
}

function byBrowser(userAgent: string): Engine {
  // Every browser on an iPhone is WebKit, whatever its name.
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return 'javascriptcore'
  if (/\bFirefox\//.test(userAgent)) return 'spidermonkey'
  if (/\bChrom(?:e|ium)\//.test(userAgent)) return 'v8'
  return /\bAppleWebKit\//.test(userAgent) ? 'javascriptcore' : ''
}

function byWords({ exceptions }: NormalEvent): Engine {
  for (const { value } of exceptions.slice(-LOOKED_AT)) {
    if (/^Cannot (?:read|set) propert|^Cannot destructure|^Failed to fetch/.test(value)) return 'v8'
    if (/^can't access property|^NetworkError when|^JSON\.parse: |^too much recursion/.test(value))
      return 'spidermonkey'
    if (/\(evaluating '|\(In '|^Can't find variable: |^JSON Parse error: |^Load failed/.test(value))
      return 'javascriptcore'
  }
  for (const frame of exceptions.flatMap(({ frames }) => frames).slice(-LOOKED_AT)) {
    const name = frame.original?.function ?? frame.function
    if (/^(?:async|new) |\[as |^(?:Object|Array|HTML\w+)\.|<anonymous>/.test(name)) return 'v8'
    if (/\*|\/<*$|<$/.test(name) || frame.filename.startsWith('self-hosted')) return 'spidermonkey'
    if (/^(?:global|module|eval) code$/.test(name) || frame.filename === '[native code]') return 'javascriptcore'
  }
  return ''
}
