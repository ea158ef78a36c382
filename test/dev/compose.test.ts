import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { Environment } from '../../src/config-variables.ts'

const folder = resolve(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const [compose, example, haproxy] = [read('compose.yaml'), read('env.example'), read('haproxy.cfg')]
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

test('compose.yaml names only variables that Tracegate has', () => {
  const named = matches(compose, /\b(TRACEGATE_\w+)\b/g)
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !(name in Environment.shape))).toEqual([])
})

test('every variable that compose.yaml takes from .env is in env.example, and the other way round', () => {
  const taken = new Set(matches(compose, /\$\{(\w+)/g))
  expect(new Set(matches(example, /^(\w+)=/gm))).toEqual(taken)
})

test('the balancer knows the processes of compose.yaml, at the port that they listen on', () => {
  const services = matches(compose, /^ {2}([\w-]+):\n {4}<<: \*tracegate$/gm)
  expect(matches(haproxy, /^ {2}server \w+ (\S+)$/gm)).toEqual(services.map((name) => `${name}:4319`))
  expect(matches(compose, /\}:(\d+)$/gm)).toEqual(matches(haproxy, /bind :(\d+)/g))
})

test('every image has a version, and every container is read-only and without rights', () => {
  expect(matches(compose, /image: (\S+)/g)).toEqual(['tracegate', 'postgres:18', expect.stringMatching(/^haproxy:\d/)])
  const services = compose.slice(compose.indexOf('\nservices:'), compose.indexOf('\nvolumes:'))
  const names = matches(services, /^ {2}([\w-]+):$/gm)
  expect(matches(services, /^ {4}<<: \*(hardened|tracegate)$/gm)).toHaveLength(names.length)
})
