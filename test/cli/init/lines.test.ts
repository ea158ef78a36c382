import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
let count = 0

/** What `init` prints for a repository with these files. */
async function printed(files: Record<string, string>, env: Record<string, string> = {}): Promise<string> {
  const root = join(folder.path, String((count += 1)), 'orders')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const { code, stdout } = await tracegate(['init', root, '--data', join(folder.path, `data-${String(count)}`)], env)
  expect(code).toBe(0)
  return stdout
}

/** The value that the shell gives VERSION by the printed line. */
function versionIn(stdout: string): string {
  const line = /^ +(VERSION=.*)$/m.exec(stdout)?.[1] ?? ''
  return execFileSync('sh', ['-c', `${line}\nprintf %s "$VERSION"`], { encoding: 'utf8' })
}

test('the line for the agent names the file that it writes, and the toolsets that the README names', async () => {
  const env = { HOME: join(folder.path, 'home') }
  const stdout = await printed({ 'app.py': '' }, env)
  const [, file = ''] =
    /^3\. Your agent; this changes (\S+), and prints what to paste instead without --write:$/m.exec(stdout) ?? []
  const [, line = ''] = /guard\.cjs (install .* --write)$/m.exec(stdout) ?? []
  expect(line).not.toBe('')
  expect(await tracegate(line.split(' '), env)).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toContain(line.split(' ').at(-2))
  const toolsets = / (--toolsets \S+) /.exec(line)?.[1] ?? ''
  expect(readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8')).toContain(`\`${toolsets}\``)
})

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

describe('the application gets the key that fits', () => {
  const key = 'admin key add --server --name orders --data '
  const page = "Sentry.init({ dsn: 'http://"
  const both = '{"name":"orders","dependencies":{"express":"5"},"devDependencies":{"vite":"8"}}'

  test('a backend a server key, which can block a release, and then the public DSN in a line', async () => {
    const repositories: Record<string, string>[] = [
      { 'package.json': '{"name":"orders"}', 'src/main.ts': '' },
      { 'app.py': '' },
    ]
    for (const files of repositories) {
      const stdout = await printed(files)
      expect(stdout).toContain(
        '2. The application is a backend. Only errors that come with a server key can block a release',
      )
      expect(stdout.indexOf(key)).toBeGreaterThan(0)
      expect(stdout.indexOf('public DSN')).toBeGreaterThan(stdout.indexOf(key))
      expect(stdout).not.toContain(page)
    }
  })

  test('a page the public DSN, and then the command for a backend', async () => {
    const manifest = '{"name":"orders","version":"1.2.0","devDependencies":{"vite":"8"}}'
    const stdout = await printed({ 'package.json': manifest, 'src/main.ts': '' })
    expect(stdout).toContain('2. The application is a web page or an app. Its DSN is public')
    expect(stdout).toMatch(
      /Sentry\.init\(\{ dsn: 'http:\S+\/1', release: "orders@1\.2\.0", environment: 'production' \}\)/,
    )
    expect(stdout.indexOf(key)).toBeGreaterThan(stdout.indexOf(page))
    expect(stdout).not.toContain('@sentry/node')
  })

  test.each<Record<string, string>>([
    { 'package.json': both, 'src/main.ts': '' },
    { 'package.json': '{"name":"orders","devDependencies":{"vite":"8"}}', 'web/main.ts': '', 'api/main.go': '' },
  ])('both, the backend first, where it has both: %o', async (files) => {
    const stdout = await printed(files)
    expect(stdout).toContain('2. The application has a backend.')
    expect(stdout.indexOf(page)).toBeGreaterThan(stdout.indexOf(key))
  })
})
