import type { Tool } from '../define/define.ts'

/** The revisions before 2026-07-28, or that one. */
export type Era = 'legacy' | 'modern'

export const listMethods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const
type ListMethod = (typeof listMethods)[number]

/** What a client asks first: who the server is, in its revision, and the lists. */
export type OpeningMethod = 'initialize' | 'server/discover' | ListMethod

/** A part of an answer as it is sent. */
export type Item = Readonly<Record<string, unknown>>

/**
 * What the server answers first when it offers everything, in the pieces that options show or leave out: plain JSON, so
 * that it can be prepared and stored.
 */
export interface PreparedLists {
  tools: readonly (Pick<Tool, 'name' | 'toolset' | 'effect' | 'local'> & { startsTasks: boolean; item: Item })[]
  /** A view is listed with any of its tools. */
  resources: readonly { tools?: readonly string[]; item: Item }[]
  /** One without a tool is always listed. */
  templates: readonly { tool?: string; isWatched: boolean; item: Item }[]
  /** A prompt is listed with all of its tools; `suggests` are the arguments that suggest values. */
  prompts: readonly { tools: readonly string[]; suggests: readonly string[]; item: Item }[]
  /** The answers without their lists. */
  frames: Readonly<Record<Era, Readonly<Record<string, Item>>>>
}
