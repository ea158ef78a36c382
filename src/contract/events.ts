import * as z from 'zod'
import {
  Hash,
  Id,
  IdOrEmpty,
  Level,
  prefixed,
  ProductId,
  Ref,
  Sentence,
  Timestamp,
  TruncationSignals,
} from './base/common.ts'
import { untrusted } from './base/text.ts'

const text = () => untrusted(z.string())
const anyObject = () => untrusted(z.record(z.string(), z.unknown()))

export const SymbolicationState = prefixed('SYMBOLICATION_STATE', [
  'NOT_NEEDED',
  'COMPLETE',
  'PARTIAL',
  'MISSING',
  'FAILED',
])

/** How a frame's `repo_path` was found (contract §10.5). */
export const RepoPathSource = prefixed('REPO_PATH_SOURCE', [
  'NONE',
  'FRAME',
  'PREFIX',
  'KNOWN_PATH',
  'COMPONENT',
  'AMBIGUOUS',
])

export const Frame = z.object({
  index: z.int(),
  exception_index: z.int(),
  function: text(),
  raw_function: text(),
  module: text(),
  filename: text(),
  abs_path: text(),
  repo_path: text(),
  repo_path_source: RepoPathSource,
  lineno: z.int(),
  colno: z.int(),
  in_app: z.boolean(),
  context_line: text(),
  pre_context: z.array(text()),
  post_context: z.array(text()),
  vars: anyObject(),
  symbolicated: z.boolean(),
  original: z
    .object({ filename: text(), abs_path: text(), lineno: z.int(), colno: z.int(), function: text() })
    .nullable(),
  source_map_id: IdOrEmpty,
  debug_id: text(),
  component: Ref.nullable(),
  grouping_role: z.enum(['contributes', 'ignored']),
  ignored_reason: Sentence,
})

export const Exception = z.object({
  type: text(),
  value: text(),
  module: text(),
  thread_id: text(),
  mechanism: z.object({
    type: text(),
    handled: z.boolean(),
    synthetic: z.boolean(),
    source: text(),
    exception_id: z.int().nullable(),
    parent_id: z.int().nullable(),
    is_exception_group: z.boolean(),
  }),
  frames: z.array(Frame),
})

export const Thread = z.object({
  id: text(),
  name: text(),
  crashed: z.boolean(),
  current: z.boolean(),
  frames: z.array(Frame),
})

export const Breadcrumb = z.object({
  timestamp: Timestamp.nullable(),
  category: text(),
  level: text(),
  message: text(),
  data: anyObject(),
})

export const EventSummary = z.object({
  id: Id,
  sdk_event_id: Hash,
  issue_id: Id,
  timestamp: Timestamp,
  received_at: Timestamp,
  level: Level,
  platform: text(),
  environment: text(),
  environment_known: z.boolean(),
  environment_id: IdOrEmpty,
  release: text(),
  release_known: z.boolean(),
  release_id: IdOrEmpty,
  dist: text(),
  title: text(),
  message: text(),
  transaction: text(),
  server_name: text(),
  user_hash: Hash,
  handled: z.boolean(),
  symbolication_state: SymbolicationState,
})

export const Event = EventSummary.extend({
  product_id: ProductId,
  logger: text(),
  message_template: text(),
  message_params: untrusted(z.array(z.unknown())),
  exceptions: z.array(Exception),
  frame_order: z.literal('caller_first'),
  threads: z.array(Thread),
  breadcrumbs: z.array(Breadcrumb),
  tags: z.array(z.object({ key: text(), value: text() })),
  user: z.object({ id: text(), email: text(), username: text(), ip_address: text(), geo: anyObject() }),
  request: z.object({ method: text(), url: text(), headers: anyObject(), query_string: text() }),
  contexts: anyObject(),
  extra: anyObject(),
  modules: anyObject(),
  sdk: z.object({ name: text(), version: text() }),
  fingerprint: z.array(text()),
  debug_images: z.array(z.object({ type: text(), code_file: text(), debug_id: text() })),
  symbolication: z.object({
    state: SymbolicationState,
    frames_total: z.int(),
    frames_mapped: z.int(),
    problems: z.array(z.object({ frame_index: z.int(), abs_path: text(), debug_id: text(), reason: Sentence })),
  }),
  component: Ref.nullable(),
  previous_event_id: IdOrEmpty,
  next_event_id: IdOrEmpty,
  size_bytes: z.int(),
  raw_payload: anyObject().nullable(),
  truncation_signals: TruncationSignals,
})

/** Places in a list of the same answer. */
const places = (list: string) => z.array(z.int()).describe(`Places in ${list} of the answer, from 0.`)

/** What tells an occurrence apart from the others of its issue: members of `Event`. */
export const ComparedEvent = EventSummary.extend({
  ...Event.pick({ message_params: true, tags: true, contexts: true, extra: true, size_bytes: true }).shape,
  exceptions: z.array(Exception.pick({ type: true, value: true }).extend({ frames: places('frames') })),
  breadcrumbs: places('breadcrumbs'),
  last_breadcrumb_at: Timestamp.nullable(),
  request: Event.shape.request.pick({ method: true, url: true, query_string: true }),
})

/** What occurrences have in common: each of them names it by its place. */
export const ComparedFrame = Frame.pick({ function: true, filename: true, lineno: true, in_app: true, vars: true })
export const ComparedBreadcrumb = Breadcrumb.omit({ timestamp: true })
