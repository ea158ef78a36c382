import fc from 'fast-check'
import { expect, test } from 'vitest'
import { suggestComponents } from '../../../src/cli/init/components.ts'
import { remoteUrl } from '../../../src/cli/init/repository.ts'
import { compileGlob } from '../../../src/service/workspace/components/glob.ts'

const globs = (files: string[], containers?: string[]) => suggestComponents(files, containers).map(({ glob }) => glob)

test('the folders of the sources are the components', () => {
  expect(globs(['src/main.ts', 'src/cart/a.ts', 'src/cart/deep/b.ts', 'src/pay/c.ts'])).toEqual([
    'src/*',
    'src/cart/**',
    'src/pay/**',
  ])
  expect(globs(['setup.py', 'ledger/web.py', 'ledger/db/models.py'])).toEqual(['ledger/**'])
  expect(globs(['src/main/java/com/acme/cart/A.java', 'src/main/java/com/acme/pay/B.java'])).toEqual([
    'src/main/java/com/acme/cart/**',
    'src/main/java/com/acme/pay/**',
  ])
  expect(globs(['go.go', 'cmd/shop/main.go', 'internal/cart/a.go', 'internal/pay/b.go'])).toEqual([
    'cmd/shop/**',
    'internal/cart/**',
    'internal/pay/**',
  ])
  expect(globs(['plugins/a/x.ts', 'plugins/b/y.ts', 'core/z.ts'], ['plugins'])).toEqual([
    'plugins/a/**',
    'plugins/b/**',
    'core/**',
  ])
  expect(globs(['main.py'])).toEqual([])
})

test('folders of the same name are told apart by their path', () => {
  const found = suggestComponents(['apps/web/a.ts', 'packages/web/b.ts', 'packages/api/c.ts'])
  expect(found.map(({ name }) => name)).toEqual(['apps/web', 'packages/web', 'api'])
})

test('every source file below the top belongs to exactly one suggested component', () => {
  const segment = fc.constantFrom('src', 'app', 'cart', 'packages', 'web')
  const file = fc.array(segment, { minLength: 1, maxLength: 4 }).map((folders) => `${folders.join('/')}/file.ts`)
  fc.assert(
    fc.property(fc.uniqueArray(file, { minLength: 1, maxLength: 12 }), (files) => {
      const matchers = globs(files).map(compileGlob)
      for (const path of files) expect([path, matchers.filter((matches) => matches(path)).length]).toEqual([path, 1])
    }),
  )
})

test('the address of the remote is one for a browser, without credentials', () => {
  const config = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*\n`
  for (const url of [
    'git@git.example:acme/shop.git',
    'ssh://git@git.example:2222/acme/shop.git',
    'https://user:token@git.example/acme/shop.git',
    'https://git.example/acme/shop',
  ])
    expect(remoteUrl(config(url))).toBe('https://git.example/acme/shop')
  for (const url of ['../shop.git', '/srv/git/shop.git', 'file:///srv/git/shop.git'])
    expect(remoteUrl(config(url))).toBe('')
  expect(remoteUrl('[remote "other"]\n\turl = https://git.example/other\n')).toBe('')
})
