/** The middle value; of an even count the upper of the two. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Runs the contestants in turn, `rounds` times, so that a drift of the machine hits all of them alike. */
export async function inTurn<N extends string>(
  contestants: Record<N, () => Promise<number>>,
  rounds: number,
): Promise<Record<N, number>> {
  const names = Object.keys(contestants) as N[]
  const taken = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) taken.get(name)?.push(await contestants[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(taken.get(name) ?? [])])) as Record<N, number>
}
