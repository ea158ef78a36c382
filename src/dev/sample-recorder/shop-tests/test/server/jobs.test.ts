import { describe, test } from 'vitest'

describe('stock watch', () => {
  test.todo('[REQ-29] warns when fewer than 5 pieces of an article are left')
})
