import { describe, expect, test } from 'vitest'
import { availability } from '../../../shop/inventory/availability.ts'
import { Warehouse } from '../../../shop/inventory/warehouse.ts'
import { json, standIn } from '../stand-in.ts'

const warehouse = async (city: string, pieces: number) =>
  new Warehouse(city, (await standIn((response) => json(response, { pieces }))).url)

const broken = async (city: string) =>
  new Warehouse(city, (await standIn((response) => json(response, { error: 'unavailable' }, 503))).url)

const silent = async (city: string) => new Warehouse(city, (await standIn(() => {})).url)

describe('availability', () => {
  test('[REQ-28] names the warehouse with the most pieces', async () => {
    const warehouses = [await warehouse('hamburg', 3), await warehouse('basel', 8)]
    expect(await availability('pot-001', warehouses)).toEqual({ sku: 'pot-001', pieces: 8, city: 'basel' })
  })

  test('[REQ-28] leaves out a warehouse that does not answer', async () => {
    const warehouses = [await silent('hamburg'), await broken('basel'), await warehouse('graz', 2)]
    expect(await availability('pot-001', warehouses)).toMatchObject({ city: 'graz' })
  })

  test('[REQ-28] says so when no warehouse answers', async () => {
    const warehouses = [await broken('hamburg'), await broken('basel')]
    await expect(availability('pot-001', warehouses)).rejects.toThrow('no warehouse answers for pot-001')
  })
})
