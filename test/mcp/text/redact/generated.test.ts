import { expect, test } from 'vitest'
import { formats } from './formats.ts'
import { positions, shownAt } from './positions.ts'
import { hiddenPart, wrappers } from './wrappers.ts'

/** The shown text as an agent could read it: as it is, and without any escaping. */
function readable(shown: string): string {
  const decoded = shown
    .replaceAll(/%(?:25)*([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits)))
  return `${shown}\n${decoded}`
}

/** In how many positions each text is put. */
const POSITIONS = 5

test('no format is shown in any wrapper at any position', async () => {
  const leaks: string[] = []
  let [texts, cases] = [0, 0]
  for (const format of formats) {
    for (const [wrapper, wrap] of Object.entries(wrappers)) {
      const text = wrap(format.text, format)
      if (text === undefined) continue
      // Each text in some of the positions, so that each wrapper and each format is in all of them.
      texts += 1
      const chosen = positions.filter((_, index) => (index + texts) % positions.length < POSITIONS)
      for (const [position, shown] of await shownAt(chosen, text)) {
        cases += 1
        if (readable(shown).includes(hiddenPart(wrapper, format))) leaks.push(`${format.name}, ${wrapper}, ${position}`)
      }
    }
  }
  console.log(
    `redaction: ${String(cases)} cases of ${String(formats.length)} formats, ${String(Object.keys(wrappers).length)} ` +
      `wrappers and ${String(positions.length)} positions, ${String(leaks.length)} shown`,
  )
  expect(leaks).toEqual([])
  expect(cases).toBeGreaterThanOrEqual(50_000)
}, 120_000)
