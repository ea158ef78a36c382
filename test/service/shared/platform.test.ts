import { expect, test } from 'vitest'
import { version } from 'uuid'
import { systemPlatform } from '../../../src/service/shared/platform.ts'

test('ids are UUIDs of version 7 that differ and sort by creation', () => {
  const ids = Array.from({ length: 5_000 }, () => systemPlatform.newId())
  expect(ids.every((id) => version(id) === 7)).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
})
