import type { Cut } from './answer.ts'
import type { Members } from './json.ts'
import type { NextAction } from './next-action.ts'
import { cutText, listPaths, longest, longestText, shorten, shortenTexts, without, type Content } from './shorten.ts'
import { estimateTokens } from './tokens.ts'

/** What one result may cost, in each of its forms (mcp §2). */
const DEFAULT_BYTES = 10_240
// Estimated: 2,500 tokens, since the estimate is up to a tenth low for odd results.
const DEFAULT_TOKENS = 2_200
/** If the caller asked for more than the default. */
const MOST_CHARACTERS = 40_000

/** What the rows of an answer without a page are in. */
export const PAGED: readonly string[] = ['rows', 'events']
const CUTS_NAMED = 12

/** What is missing from a result, and the call that shows it. */
interface Truncated {
  shown?: number
  total?: number | undefined
  cut?: readonly string[]
  how_to_get_more?: string | undefined
}

/** What to say when no call shows more. */
export const NO_MORE = 'this tool shows no more of it'

/** One result before it is rendered. */
export interface Draft extends Content {
  answer: string
  product: { id: string; name: string } | undefined
  truncated: Truncated | undefined
  nextCursor: string | undefined
  /** Lists that the cursor goes on with. */
  paged: readonly string[]
  adjusted: readonly string[]
  next: readonly NextAction[]
}

/** One result in both forms. */
export interface Forms {
  /** Made when it is first asked for. */
  text: () => string
  structured: Members
}

export interface Limits {
  /** What the tool wants shortened first. */
  cuts: readonly Cut[]
  /** The caller asked for more than the default. */
  wide: boolean
  /** The call that shows what these cuts took away, by their names with what is left; `rows` are left of a page. */
  more?: ((cuts: ReadonlyMap<string, number>, rows?: number) => string | undefined) | undefined
}

/**
 * The draft in both forms, each within its budget. What does not fit is cut in the tool's order and then in ours, the same
 * in both forms, and every cut is named, together with the call that shows more. Always succeeds.
 */
export function govern<F extends Forms>(draft: Draft, limits: Limits, write: (draft: Draft) => F): F {
  const put = (state: State) => write(withCutNames(state, draft, limits))
  let state: State = { draft, cuts: new Map() }
  let forms = write(draft)
  if (fits(forms, limits)) return forms
  for (const plan of plans) {
    for (const step of plan(state, limits)) {
      const most = step.most(state)
      if (most <= step.least) continue
      const least = step.apply(state, step.least)
      forms = put(least)
      if (fits(forms, limits)) return mostThatFits({ step, most, state, least: forms }, put, limits)
      state = least
    }
  }
  return forms
}

/** A draft that was made shorter, and what is left of the lists and texts that were cut. */
interface State {
  draft: Draft
  cuts: ReadonlyMap<string, Left>
}

interface Left {
  shown: number
  total: number
  unit?: string
}

/** One thing that can be cut down to `least`. */
interface Step {
  least: number
  most(this: void, state: State): number
  apply(this: void, state: State, count: number): State
}

/** The structured form comes first: it is mostly the longer one. */
function fits(forms: Forms, { wide }: Limits): boolean {
  const isShort = wide ? isWithinMost : isWithinDefault
  return isShort(JSON.stringify(forms.structured)) && isShort(forms.text())
}

function isWithinMost(form: string): boolean {
  return form.length <= MOST_CHARACTERS
}

function isWithinDefault(form: string): boolean {
  const bytes = Buffer.byteLength(form)
  // No token of the estimate is shorter than a byte.
  return bytes < DEFAULT_TOKENS || (bytes <= DEFAULT_BYTES && estimateTokens(form) <= DEFAULT_TOKENS)
}

function mostThatFits<F extends Forms>(
  { step, most, state, least }: { step: Step; most: number; state: State; least: F },
  put: (state: State) => F,
  limits: Limits,
): F {
  let [best, low, high] = [least, step.least, most]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const forms = put(step.apply(state, middle))
    if (fits(forms, limits)) [best, low] = [forms, middle]
    else high = middle
  }
  return best
}

type Plan = (state: State, limits: Limits) => Iterable<Step>

/** Least valuable content first. */
const plans: readonly Plan[] = [
  // Texts that no tool has cut: a deployment may send texts of any length.
  (_, { wide }) => [textStep(wide ? 4_000 : 1_000)],
  (_, { cuts }) => cuts.map((cut) => cutStep(cut, cut.least ?? 1)),
  ({ draft }) => listPaths(draft).map((path) => cutStep({ path }, 0)),
  () => [textStep(300), textStep(40)],
  ({ draft }) => memberSteps(draft),
  () => [shortRest, onlyTheAnswer],
]

function textStep(least: number): Step {
  const most = ({ draft }: State) => Math.max(longestText(draft.data), longestText(draft.untrusted))
  return {
    least,
    most,
    apply(state, count) {
      const { data, untrusted } = state.draft
      const short = { data: shortenTexts(data, count), untrusted: shortenTexts(untrusted, count) }
      return cutAway(state, 'longest text', short, { shown: count, total: most(state), unit: ' characters' })
    },
  }
}

function cutStep(cut: Cut, least: number): Step {
  return {
    least,
    most: ({ draft }) => longest(draft, cut.path),
    apply(state, count) {
      const { content, kept } = shorten(state.draft, cut, count)
      return cutAway(state, cutName(cut.path), content, kept)
    },
  }
}

/** A list is named after the last name on its path. */
function cutName(path: string): string {
  return path.split('.').findLast((name) => name !== '*') ?? path
}

function memberSteps(draft: Draft): Step[] {
  return (['untrusted', 'data'] as const).flatMap((side) =>
    Object.entries(draft[side])
      .sort(([, one], [, other]) => JSON.stringify(other).length - JSON.stringify(one).length)
      .map(([name]) => ({
        least: 0,
        most: () => 1,
        apply: (state: State) => cutAway(state, name, without(state.draft, side, name), { shown: 0, total: 1 }),
      })),
  )
}

/** When only the answer's own words are left: those and the next calls, shortened. */
const shortRest = restStep(({ answer, adjusted, next }) => ({
  answer: cutText(answer, 300),
  adjusted: adjusted.slice(0, 10).map((note) => cutText(note, 80)),
  next: next.filter(({ args }) => JSON.stringify(args).length <= 200),
}))

const onlyTheAnswer = restStep(({ answer }) => ({
  answer: cutText(answer, 200),
  product: undefined,
  adjusted: [],
  next: [],
  nextCursor: undefined,
}))

function restStep(short: (draft: Draft) => Partial<Draft>): Step {
  return {
    least: 0,
    most: () => 1,
    apply: ({ draft, cuts }) => ({ draft: { ...draft, ...short(draft) }, cuts }),
  }
}

function cutAway({ draft, cuts }: State, name: string, content: Content, left: Left): State {
  const before = cuts.get(name)
  return {
    draft: { ...draft, ...content },
    cuts: new Map(cuts).set(name, { ...left, total: Math.max(left.total, before?.total ?? 0) }),
  }
}

/** The draft with what was cut from it and how to get it. */
function withCutNames({ draft, cuts }: State, original: Draft, { more }: Limits): Draft {
  const before = original.truncated
  const names = new Map((before?.cut ?? []).map((text) => [text.split(':')[0] ?? text, text]))
  for (const [name, { shown, total, unit = '' }] of cuts) {
    if (shown >= total) continue
    const all = Number(/ of (\d+)/.exec(names.get(name) ?? '')?.[1] ?? 0)
    names.set(name, `${name}: ${shown} of ${Math.max(total, all)}${unit}`)
  }
  const rows = pagedRows(original, cuts)
  const left = new Map([...cuts].map(([name, { shown }]) => [name, shown]))
  return {
    ...draft,
    ...(rows !== undefined && {
      answer: `${draft.answer} Cut to fit: ${rows.shown} of these ${rows.total} rows.`,
      // It would skip the rows that are left out here.
      nextCursor: undefined,
    }),
    truncated: {
      ...before,
      ...(rows !== undefined && { shown: rows.shown, total: before?.total ?? rows.total }),
      cut: named([...names.values()]),
      how_to_get_more:
        more?.(left, rows?.shown) ?? (rows === undefined ? before?.how_to_get_more : undefined) ?? NO_MORE,
    },
  }
}

/** What is left of the page that the lists hold together; undefined where nothing of it is cut. */
function pagedRows({ paged, data }: Draft, cuts: State['cuts']): { shown: number; total: number } | undefined {
  if (!paged.some((name) => cuts.has(name))) return undefined
  const parts = paged.map((name) => {
    const list = data[name]
    const count = Array.isArray(list) ? list.length : 0
    return cuts.get(name) ?? { shown: count, total: count }
  })
  return {
    shown: parts.reduce((sum, { shown }) => sum + shown, 0),
    total: parts.reduce((sum, { total }) => sum + total, 0),
  }
}

function named(cuts: readonly string[]): string[] {
  const more = cuts.length - CUTS_NAMED
  return more <= 0 ? [...cuts] : [...cuts.slice(0, CUTS_NAMED), `and ${more} more`]
}
