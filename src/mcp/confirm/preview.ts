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

/** The lines that a person reads before they decide, each of one fact, from the data of the service alone. */
export function previewLines({ question, recorded, reason, expiresAt }: Preview): string[] {
  const { asks, product, facts, undo } = question
  return [
    line(asks),
    ...(product === undefined ? [] : [`product: ${line(product.name ?? '')} (id ${line(product.id)})`]),
    ...facts.map(({ label, value }) => `${line(label)}: ${line(value)}`),
    `recorded as: ${recorded === undefined ? 'not stated by this deployment' : line(recorded)}`,
    `undo: ${undo === '' ? 'not possible' : line(undo)}`,
    ...(reason === undefined
      ? []
      : [`reason that the agent gives: "${teamText(reason, { characters: REASON_CHARACTERS })}"`]),
    `can be confirmed until: ${toMinute(new Date(expiresAt).toISOString()) ?? ''}`,
  ]
}

function line(text: string): string {
  return cutTo(withoutMarkers(inOneLine(clean(text))), VALUE_CHARACTERS)
}
