import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import type { Question } from '../define/define.ts'
import { toMinute } from '../result/present.ts'
import { teamText, withoutMarkers } from '../text/team.ts'

/** What a person is shown, in the terms of the frame. */
export interface Preview {
  question: Question
  /** Who will be recorded as the one who did it; undefined where the deployment does not say it. */
  recorded: string | undefined
  /** Why the agent calls. */
  reason: string | undefined
  /** Epoch milliseconds. */
  expiresAt: number
}

/** A statement or a list of keys; longer ones are cut. */
const VALUE_CHARACTERS = 500
const REASON_CHARACTERS = 1000

/** The question as it is shown and signed: every text on one line, cleaned and cut. */
export function asShown({ asks, product, facts, key, undo, state }: Question): Question {
  return {
    asks: line(asks),
    ...(product && { product: { id: product.id, ...(product.name !== undefined && { name: line(product.name) }) } }),
    facts: facts.map(({ label, value, characters }) => ({ label: line(label), value: line(value, characters) })),
    // It is typed, so nothing is taken out of it.
    key: cutTo(withoutMarkers(inOneLine(clean(key))), VALUE_CHARACTERS),
    undo: line(undo),
    state,
  }
}

/** The lines that a person reads before they decide, each of one fact, from the data of the service alone. */
export function previewLines({ question, recorded, reason, expiresAt }: Preview): string[] {
  const { asks, product, facts, undo } = question
  return [
    asks,
    ...(product === undefined ? [] : [`product: ${productName(product)}`]),
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    `recorded as: ${recorded === undefined ? 'not stated by this deployment' : line(recorded)}`,
    `undo: ${undo === '' ? 'not possible' : undo}`,
    ...(reason === undefined
      ? []
      : [`reason that the agent gives: "${teamText(reason, { characters: REASON_CHARACTERS })}"`]),
    `can be confirmed until: ${toMinute(new Date(expiresAt).toISOString()) ?? ''}`,
  ]
}

function line(text: string, characters = VALUE_CHARACTERS): string {
  return teamText(text, { characters })
}

function productName({ id, name }: NonNullable<Question['product']>): string {
  return name === undefined ? `id ${id}` : `${name} (id ${id})`
}
