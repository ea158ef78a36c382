import type {
  NormalEvent,
  NormalException,
  NormalFrame,
  NormalThread,
} from '../../../../src/service/errors/event/event.ts'

/** A frame as the normaliser leaves it; says nothing but what is given. */
export function frame(members: Partial<NormalFrame> = {}): NormalFrame {
  return {
    index: 0,
    exception_index: 0,
    function: '',
    raw_function: '',
    module: '',
    filename: '',
    abs_path: '',
    repo_path: '',
    repo_path_source: 'REPO_PATH_SOURCE_NONE',
    lineno: 10,
    colno: 5,
    in_app: true,
    context_line: '',
    pre_context: [],
    post_context: [],
    vars: {},
    symbolicated: false,
    original: null,
    source_map_id: '',
    debug_id: '',
    component: null,
    grouping_role: 'ignored',
    ignored_reason: '',
    ...members,
  }
}

export function exception(
  members: Partial<Omit<NormalException, 'mechanism'>> & { mechanism?: Partial<NormalException['mechanism']> } = {},
): NormalException {
  const { mechanism, ...rest } = members
  return {
    type: 'Error',
    value: 'it broke',
    module: '',
    thread_id: '',
    frames: [],
    ...rest,
    mechanism: {
      type: 'generic',
      handled: true,
      synthetic: false,
      source: '',
      exception_id: null,
      parent_id: null,
      is_exception_group: false,
      ...mechanism,
    },
  }
}

export function thread(members: Partial<NormalThread> = {}): NormalThread {
  return { id: '1', name: '', crashed: false, current: false, frames: [], ...members }
}

/** An event of @sentry/node with nothing in it. */
export function event(members: Partial<NormalEvent> = {}): NormalEvent {
  return {
    sdk_event_id: '9'.repeat(32),
    timestamp: 1_760_000_000_000,
    received_at: 1_760_000_000_500,
    level: 'error',
    platform: 'node',
    environment: 'production',
    release: 'shop@1.4.0',
    dist: '',
    message: '',
    message_template: '',
    message_params: [],
    transaction: '',
    server_name: '',
    handled: true,
    logger: '',
    exceptions: [],
    threads: [],
    breadcrumbs: [],
    tags: [],
    user: { id: '', email: '', username: '', ip_address: '', geo: {} },
    user_hash: '',
    request: { method: '', url: '', headers: {}, query_string: '' },
    contexts: {},
    extra: {},
    modules: {},
    sdk: { name: 'sentry.javascript.node', version: '11.11.0' },
    fingerprint: [],
    debug_images: [],
    truncation_signals: [],
    size_bytes: 0,
    raw_payload: {},
    ...members,
  }
}

/** `pay@gateway.ts` for each frame, oldest first. */
export function stack(...frames: (string | Partial<NormalFrame>)[]): NormalFrame[] {
  return frames.map((given, index) => {
    if (typeof given !== 'string') return frame({ index, ...given })
    const [name = '', file = ''] = given.split('@')
    return frame({ index, function: name, filename: file, abs_path: file })
  })
}

/** An event with one exception. */
export function crash(
  type: string,
  value: string,
  frames: NormalFrame[],
  members: Partial<NormalEvent> = {},
): NormalEvent {
  return event({ exceptions: [exception({ type, value, frames })], ...members })
}
