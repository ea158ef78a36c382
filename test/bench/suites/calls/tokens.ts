import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../../serve.ts'

const main = join(import.meta.dirname, '../../../../src/main.ts')

/** More tokens of the owner of a data directory, made while its server runs. */
export async function addTokens(dataDir: string, count: number): Promise<string[]> {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [main, 'admin', ...args, '--data', dataDir], { env: bareEnvironment() })
  const { stdout: users } = await run('user', 'list')
  const owner = users.split('\n', 1)[0]?.split(' | ').at(-1) ?? ''
  const tokens: string[] = []
  for (let made = 0; made < count; made += 1) {
    const { stdout } = await run('token', 'add', '--user', owner)
    tokens.push(stdout.trim())
  }
  return tokens
}
