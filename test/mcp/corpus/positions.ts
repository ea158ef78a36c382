/** An event as an SDK sends it. */
export type SentEvent = Record<string, unknown>

/** The members in which an event carries text; `names` hands each its own. */
export const positions = [
  'message',
  'exception type',
  'exception value',
  'exception module',
  'mechanism type',
  'frame function',
  'frame file',
  'frame path',
  'frame module',
  'code line',
  'code before',
  'variable',
  'thread name',
  'tag key',
  'tag value',
  'breadcrumb category',
  'breadcrumb level',
  'breadcrumb message',
  'breadcrumb data',
  'release',
  'environment',
  'dist',
  'transaction',
  'logger',
  'server name',
  'platform',
  'request method',
  'request url',
  'request query',
  'request header',
  'user id',
  'user name',
  'fingerprint',
  'sdk name',
  'sdk version',
  'context',
  'extra',
  'module name',
] as const
export type Position = (typeof positions)[number]

/** An event with a text in every position. */
export function createEvent(text: (position: Position) => string): SentEvent {
  return {
    message: text('message'),
    platform: text('platform'),
    logger: text('logger'),
    transaction: text('transaction'),
    server_name: text('server name'),
    release: text('release'),
    environment: text('environment'),
    dist: text('dist'),
    exception: {
      values: [
        {
          type: text('exception type'),
          value: text('exception value'),
          module: text('exception module'),
          mechanism: { type: text('mechanism type'), handled: false },
          stacktrace: {
            frames: [
              {
                function: text('frame function'),
                filename: text('frame file'),
                abs_path: text('frame path'),
                module: text('frame module'),
                lineno: 3,
                colno: 4,
                in_app: true,
                context_line: text('code line'),
                pre_context: [text('code before')],
                vars: { value: text('variable') },
              },
            ],
          },
        },
      ],
    },
    threads: { values: [{ id: 1, name: text('thread name'), crashed: true }] },
    breadcrumbs: {
      values: [
        {
          timestamp: 1_795_262_400,
          category: text('breadcrumb category'),
          level: text('breadcrumb level'),
          message: text('breadcrumb message'),
          data: { value: text('breadcrumb data') },
        },
      ],
    },
    tags: [
      [text('tag key'), 'value'],
      ['key', text('tag value')],
    ],
    request: {
      method: text('request method'),
      url: text('request url'),
      query_string: text('request query'),
      headers: { 'x-value': text('request header') },
    },
    user: { id: text('user id'), username: text('user name') },
    fingerprint: [text('fingerprint')],
    sdk: { name: text('sdk name'), version: text('sdk version') },
    contexts: { shop: { value: text('context') } },
    extra: { value: text('extra') },
    modules: { [text('module name')]: '1' },
  }
}
