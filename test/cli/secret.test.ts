import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSecret } from '../../src/cli/support/secret.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const read = (dataDir: string) => readSecret({ secret: undefined, dataDir })

test('the first start makes a secret for its owner alone, later ones find it, and nothing else is left', () => {
  const dataDir = join(temporary(), 'new')
  const secret = read(dataDir)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(read(dataDir)).toBe(secret)
  expect(readdirSync(dataDir)).toEqual(['secret'])
  expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
})

test('a configured secret makes no file', () => {
  const dataDir = temporary()
  expect(readSecret({ secret: 'from the environment', dataDir })).toBe('from the environment')
  expect(readdirSync(dataDir)).toEqual([])
})

test('a damaged secret is named and not replaced', () => {
  const dataDir = temporary()
  writeFileSync(join(dataDir, 'secret'), '')
  expect(() => read(dataDir)).toThrow('secret is damaged: delete it')
  expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('')
})

test('a start that ends while it writes the secret leaves no damaged one behind', () => {
  const dataDir = temporary()
  const module = JSON.stringify(join(import.meta.dirname, '../../src/cli/support/secret.ts'))
  const script = `import { readSecret } from ${module}; readSecret({ dataDir: ${JSON.stringify(dataDir)} })`
  // A process that may write no byte into files dies in the middle of the first write, or fails there.
  const limited = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script]
  const { status } = spawnSync('sh', limited, { encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(read(dataDir)).toMatch(/^[0-9a-f]{64}$/)
})
