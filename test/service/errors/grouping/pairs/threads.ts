import { crash, own, pair, type Pair, type Sent } from './pair.ts'

const thread = (frames: Sent[], members: Sent = {}) => ({
  ...(frames.length === 0 ? {} : { stacktrace: { frames } }),
  ...members,
})
const event = (threads: Sent[], members: Sent = {}) => ({
  platform: 'native',
  threads: { values: threads },
  ...members,
})
const a = [own('a')]
const b = [own('b')]
const c = [own('c')]
const crashed = { crashed: true }
const current = { current: true }

/** Which thread decides (`newstyle.py`). */
export const threadPairs: readonly Pair[] = [
  pair(
    'the crashed thread decides',
    true,
    event([thread(b), thread(a, crashed)]),
    event([thread(c), thread(a, crashed)]),
  ),
  pair('its frames count', false, event([thread(c), thread(a, crashed)]), event([thread(c), thread(b, crashed)])),
  pair(
    'it takes precedence over the current one',
    true,
    event([thread(b, current), thread(a, crashed)]),
    event([thread(c, current), thread(a, crashed)]),
  ),
  pair(
    'without it the current thread decides',
    true,
    event([thread(b), thread(a, current)]),
    event([thread(c), thread(a, current)]),
  ),
  pair('the only thread decides', false, event([thread(a)]), event([thread(b)])),
  pair(
    'of several without a mark none decides',
    true,
    event([thread(a), thread(b)], { message: 'x' }),
    event([thread(c), thread(b)], { message: 'x' }),
  ),
  pair(
    'of two that crashed none decides',
    true,
    event([thread(a, crashed), thread(b, crashed)], { message: 'x' }),
    event([thread(a, crashed), thread(c, crashed)], { message: 'x' }),
  ),
  pair(
    'when two crashed the current one decides',
    true,
    event([thread(a, crashed), thread(b, crashed), thread(c, current)]),
    event([thread(b, crashed), thread(b, crashed), thread(c, current)]),
  ),
  pair(
    'a crashed thread without frames leaves the message',
    true,
    event([thread([], crashed), thread(a, current)], { message: 'x' }),
    event([thread([], crashed), thread(b, current)], { message: 'x' }),
  ),
  pair(
    'exceptions take precedence over threads',
    true,
    crash('native', [own('pay')], {}, { threads: [thread(a, crashed)] }),
    crash('native', [own('pay')], {}, { threads: [thread(b, crashed)] }),
  ),
  pair(
    'a crashed thread takes precedence over the message',
    true,
    event([thread(a, crashed)], { message: 'x' }),
    event([thread(a, crashed)], { message: 'y' }),
  ),
  pair(
    'the current thread takes precedence over the message',
    true,
    event([thread(a, current)], { message: 'x' }),
    event([thread(a, current)], { message: 'y' }),
  ),
  pair(
    'the name of a thread does not count',
    true,
    event([thread(a, { name: 'one' })]),
    event([thread(a, { name: 'two' })]),
  ),
  pair('the id of a thread does not count', true, event([thread(a, { id: 1 })]), event([thread(a, { id: 2 })])),
  pair(
    'a stack trace of the event decides',
    false,
    { platform: 'python', stacktrace: { frames: a } },
    { platform: 'python', stacktrace: { frames: b } },
  ),
]
