import { afterEach, expect, test } from 'vitest'
import { Client } from 'pg'
import { driverVariables } from '../../../src/service/sql/open/index.ts'
import { connectionConfig } from '../../../src/service/sql/postgres/postgres-statements.ts'

const address = 'postgres://db.example/tracegate'
const environment = process.env
afterEach(() => {
  process.env = environment
})

test('a thread gets what the driver reads of the environment, for a database of a server alone', () => {
  const set = { PGPASSWORD: 'a', PGPASSFILE: 'b', HOME: 'c', TRACEGATE_SECRET: 'd', AWS_SECRET_ACCESS_KEY: 'e' }
  expect(driverVariables(address, set)).toEqual({ PGPASSWORD: 'a', PGPASSFILE: 'b', HOME: 'c' })
  expect(driverVariables('/var/lib/tracegate/tracegate.db', set)).toEqual({})
})

test('every variable that the driver asks for when it connects is given to a thread', () => {
  const asked = new Set<string>()
  process.env = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get(_, name) {
        if (typeof name === 'string') asked.add(name)
        return undefined
      },
    },
  )
  const client = new Client(connectionConfig(address))
  process.env = environment
  const set = Object.fromEntries([...asked].map((name) => [name, 'set']))
  expect(client.host).toBe('db.example')
  expect(asked).toContain('PGSSLMODE')
  expect(Object.keys(driverVariables(address, set)).toSorted()).toEqual([...asked].toSorted())
})
