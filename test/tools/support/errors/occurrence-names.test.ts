import { expect, test } from 'vitest'
import { occurrenceNames } from '../../../../tools/support/errors/occurrence-names.ts'

test('an occurrence is called by the shortest beginning of its id that no other one has', () => {
  const ids = [
    '01a203a5-4e32-743f-8805-108602fe7b26',
    '01a203a5-4d20-717e-b50e-f7dac9da0cfc',
    '01a203a5-4d20-717e-b50e-f337eb489d10',
    '01a203a5-4efa-7222-9143-a5b989cbbea3',
    '01a203a5-4efa-71d8-9143-f1ea910385ea',
  ]
  expect([...ids, 'unknown'].map(occurrenceNames(ids.map((id) => ({ id }))))).toEqual([
    '01a203a5-4e32',
    ids[1],
    ids[2],
    '01a203a5-4efa-7222',
    '01a203a5-4efa-71d8',
    'unknown',
  ])
})
