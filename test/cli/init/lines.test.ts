import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
let count = 0

/** What `init` prints for a repository with these files. */
async function printed(files: Record<string, string>): Promise<string> {
  const root = join(folder.path, String((count += 1)), 'orders')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const { code, stdout } = await tracegate(['init', root, '--data', join(folder.path, `data-${String(count)}`)])
  expect(code).toBe(0)
  return stdout
}

/** The value that the shell gives VERSION by the printed line. */
function versionIn(stdout: string): string {
  const line = /^ +(VERSION=.*)$/m.exec(stdout)?.[1] ?? ''
  return execFileSync('sh', ['-c', `${line}\nprintf %s "$VERSION"`], { encoding: 'utf8' })
}

describe('the version is', () => {
  test.each([
    ['package.json', '{"name":"@acme/order-desk","version":"2.3.0"}', 'order-desk@2.3.0'],
    ['pyproject.toml', '[project]\nname = "shelf"\nversion = "0.4.1"\n', 'shelf@0.4.1'],
    ['Cargo.toml', '[package]\nname = "bin"\nversion = "1.0.0-rc.1"\n', 'bin@1.0.0-rc.1'],
  ])('that of %s', async (file, text, version) => {
    const stdout = await printed({ [file]: text, 'main.py': '' })
    expect(versionIn(stdout)).toBe(version)
    expect(stdout).toContain(`# as ${file} says; each release needs another one`)
  })

  test.each(['{"name":"x"}', '{"name":"x","version":"0.0.0"}', '{"name":"x","version":"$(reboot)"}', '{"version":7}'])(
    'that of git where the manifest is %s',
    async (text) => {
      expect(await printed({ 'package.json': text, 'main.ts': '' })).toMatch(
        /^ +VERSION=(?:x|orders)@\$\(git describe --tags --always\) /m,
      )
    },
  )
})
