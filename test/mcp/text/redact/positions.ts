import { Untrusted } from '../../../../src/contract/base/text.ts'
import { teamText } from '../../../../src/mcp/text/team.ts'
import { openBlock } from '../../../../src/mcp/text/open-block.ts'
import { knownName, quoted, type BlockContent } from '../../../../src/mcp/text/untrusted.ts'
import { describeEvent, type Event } from '../../../../tools/support/errors/events.ts'
import { describeStacks } from '../../../../tools/support/errors/stacks.ts'

type Text = Untrusted<string>

/** Where a text of an event may stand, as the client returns it. */
const inEvent: Readonly<Record<string, (text: Text) => Partial<Event>>> = {
  message: (message) => ({ message }),
  'exception type': (type) => ({ exceptions: [{ type }] }),
  'exception value': (value) => ({ exceptions: [{ type: word('Error'), value }] }),
  'frame function': (text) => withFrame({ function: text, filename: word('a.js') }),
  'frame file': (filename) => withFrame({ filename }),
  'breadcrumb message': (message) => ({ breadcrumbs: [{ category: word('console'), message }] }),
  'breadcrumb category': (category) => ({ breadcrumbs: [{ category, message: word('went') }] }),
  'breadcrumb data': (text) => ({ breadcrumbs: [{ data: new Untrusted({ note: Untrusted.open(text) }) }] }),
  'list in breadcrumb data': (text) => ({
    breadcrumbs: [{ data: new Untrusted({ arguments: ['one', Untrusted.open(text)] }) }],
  }),
  'name in breadcrumb data': (text) => ({ breadcrumbs: [{ data: new Untrusted({ [Untrusted.open(text)]: 1 }) }] }),
  'breadcrumb request': (url) => ({
    breadcrumbs: [{ data: new Untrusted({ url: Untrusted.open(url), method: 'GET' }) }],
  }),
  'tag value': (value) => ({ tags: [{ key: word('note'), value }] }),
  'tag key': (key) => ({ tags: [{ key, value: word('1') }] }),
  'request url': (url) => ({ request: { method: word('GET'), url } }),
  transaction: (transaction) => ({ transaction }),
  'sdk version': (version) => ({ sdk: { name: word('sdk'), version } }),
}

/** Texts outside of events that outsiders wrote too. */
const elsewhere: Readonly<Record<string, (text: Text) => BlockContent>> = {
  title: (title) => quoted`${title}`.cut(120),
  'release name': (release) => quoted`release ${release}`.cut(140),
  'message of a failed test': (message) => quoted`${message}`.cut(600).keepLines(),
  'trace of a failed test': (trace) => quoted`${trace}`.cut(3000).keepLines(),
  'code around the crash': (text) =>
    describeStacks(codeEvent(text), codeEvent(text).exceptions?.[0]?.frames ?? []).exceptions,
}

/** Texts that are shown as facts, because members wrote or vouched for them. */
const asFact: Readonly<Record<string, (text: string) => string>> = {
  'title of a requirement': (title) => teamText(title, { characters: 500 }),
  'statement of a requirement': (statement) => teamText(statement, { characters: 2000, manyLines: true }),
  'vouched name': (name) => knownName(new Untrusted(name), true) ?? '',
}

function word(text: string): Text {
  return new Untrusted(text)
}

function withFrame(frame: NonNullable<NonNullable<Event['exceptions']>[number]['frames']>[number]): Partial<Event> {
  return { exceptions: [{ type: word('Error'), frames: [{ in_app: true, ...frame }] }] }
}

function codeEvent(text: Text): Event {
  const line = { filename: word('a.js'), lineno: 7, context_line: text, pre_context: [word('call()')] }
  return { id: 'e', ...withFrame({ ...line, post_context: [text] }) }
}

/** All positions. */
export const positions = [...Object.keys(inEvent), ...Object.keys(elsewhere), ...Object.keys(asFact)]

/** What is shown of the text in these positions, as JSON. */
export async function shownAt(chosen: readonly string[], raw: string): Promise<[position: string, shown: string][]> {
  const text = new Untrusted(raw)
  const passages = chosen.flatMap((place): [string, BlockContent][] => {
    const event = inEvent[place]?.(text)
    if (event !== undefined) return [[place, describeEvent({ id: 'e', ...event }, 'full').content]]
    const passage = elsewhere[place]?.(text)
    return passage === undefined ? [] : [[place, passage]]
  })
  const opened = Object.entries((await openBlock(Object.fromEntries(passages))).content)
  const facts = chosen.flatMap((place) => (asFact[place] ? [[place, asFact[place](raw)] as const] : []))
  return [...opened, ...facts].map(([place, shown]) => [place, JSON.stringify(shown)])
}
