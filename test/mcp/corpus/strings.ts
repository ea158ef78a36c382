import rules from './agent-threat-rules.json' with { type: 'json' }
import own from './own-strings.json' with { type: 'json' }
import recorded from './traces.json' with { type: 'json' }

/** A text that gives orders to an agent, and what it is called. */
export interface Strong {
  label: string
  text: string
}

const groups: Readonly<Record<string, readonly string[]>> = own.groups

/** Texts of others and of ours; how they were chosen is in README.md. */
export const strongStrings: readonly Strong[] = [
  ...rules.rules.flatMap(({ rule, label, texts }) => texts.map((text) => ({ label: `${rule} ${label}`, text }))),
  ...Object.entries(groups).flatMap(([label, texts]) => texts.map((text) => ({ label, text }))),
]

/** What real programs printed when they failed. */
export const traces: readonly { runtime: string; text: string }[] = recorded
