import type { FailureCode } from '../../../errors.ts'
import type { JsonObject } from '../../../lib/objects.ts'
import type { PreparedEvent } from '../event/prepared-event.ts'

/** The payloads of one request, which are a part of `Job.bytes`. */
export interface JobRequest {
  productId: number
  /** Length of each payload, in their order. */
  lengths: readonly number[]
  header: JsonObject
  client?: string | undefined
  receivedAt: number
}

/** What the thread knows from its start. */
export interface ThreadStart {
  /** The file or the address of the database, which the thread reads. */
  database: string
  /** Folder of the tables of source maps. */
  tables: string
}

/** What the thread is told: a job, or that source maps of a product were added or removed. */
export type Told = Job | { changed: number }

/** What the thread is asked: several requests at once, because each message costs as much as reading a small event. */
export interface Job {
  /** Unique among the jobs of the process. */
  number: number
  maxBytes: number
  requests: readonly JobRequest[]
  /** The payloads of all requests, one after the other. */
  bytes: Uint8Array
}

/** What became of one request. */
export interface RequestOutcome {
  events: (Omit<PreparedEvent, 'packed' | 'mapped'> & { packed: PackedLengths })[]
  refused: Refused[]
}

/** Bytes that are parts of `Answer.bytes`: the body, its dictionary, and what source maps made of the stacks. */
export interface PackedLengths {
  bodyBytes: number
  /** 0 where source maps changed nothing. */
  mappedBytes: number
  dictionary: { id: number; madeAt: number; bytes: number }
}

/** A `ServiceError` as data. */
export interface Refused {
  code: FailureCode
  message: string
  violations: readonly { field: string; description: string }[]
}

/** The answer to a job. */
export interface Answer {
  /** Of the job. */
  number: number
  /** JSON of one `RequestOutcome` for each request: smaller and faster than a structured clone of it. */
  outcomes: string
  /** What is packed of all events, one after the other. */
  bytes: Uint8Array
  /** Ids of the uploads that mapped frames since the answer before. */
  used: readonly string[]
}
