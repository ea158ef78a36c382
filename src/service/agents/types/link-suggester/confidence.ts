/**
 * How much each signal proves when it is 1. A key that a person wrote is nearly certain. Words alone decide only when
 * nearly all of them are rare and in common (0.75 reaches 0.6). Place and history never decide: together they reach 0.51.
 */
const weights = { annotation: 0.95, name_similarity: 0.8, path_overlap: 0.3, history: 0.3 } as const

/** From 0 to 1 each. */
export type Signals = Readonly<Record<keyof typeof weights, number>>

/**
 * Combines signals as independent reasons to believe in a link: 1 − Π(1 − weight × signal), to two digits. Each signal
 * leaves a share of the doubt, and none can take belief away.
 */
export function confidence(signals: Signals): number {
  const doubt = Object.entries(weights).reduce(
    // The names of the weights are those of the signals.
    (left, [name, weight]) => left * (1 - weight * signals[name as keyof Signals]),
    1,
  )
  return roundShare(1 - doubt)
}

/** The share to two digits, as outputs show it. */
export function roundShare(share: number): number {
  return Math.round(share * 100) / 100
}
