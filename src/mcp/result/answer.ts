import type { BlockContent } from '../text/untrusted.ts'
import type { Page } from './page.ts'
import type { NextAction } from './next-action.ts'

/** What a tool returns; the renderer turns it into text and into the structured result (mcp §3). */
export interface Answer<D extends object> {
  /** The first line: what was found or done, in one sentence. */
  answer: string
  /** As the API returns it; shown when it has a name. */
  product?: { id: string; name?: string | undefined } | undefined
  /** Facts that the service vouches for. Empty members are left out. */
  data: D
  /** What outsiders wrote. */
  untrusted?: { source: string; writableBy: string; content: { readonly [name: string]: BlockContent } } | undefined
  /** The page of a list that `data` shows. */
  page?: Page | undefined
  /** What the tool left out, such as `frames: 8 of 40`. Nothing is said where the list is empty. */
  cut?: readonly string[] | undefined
  /** How to get what was cut; by default the same call with more detail, where the tool takes `detail`. */
  howToGetMore?: string | undefined
  /** Arguments that were read differently from how they came, where only the service could tell; added to the repairs. */
  adjusted?: readonly string[] | undefined
  /** Calls that may follow, the most useful one first. */
  next?: readonly (NextAction | undefined)[]
}

/**
 * A list or a text that may be shortened when a result is too big. The path begins in the facts, in outsiders' text or
 * in both: `breadcrumbs`, `rows`, `exceptions.*.frames` with `*` for each item, `output.*` with `*` for each list among the
 * members of an object.
 */
export interface Cut {
  path: string
  /** Which items stay: the first ones by default; `in_app` is for frames, crash first. */
  keep?: 'first' | 'last' | 'in_app'
  /** Items or characters that stay while anything else can be cut; 1 by default. */
  least?: number
}
