import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCodeOwners } from '../../../src/cli/init/codeowners.ts'
import { suggestComponents } from '../../../src/cli/init/components.ts'
import { assignOwners } from '../../../src/cli/init/owned-components.ts'
import { compileComponents } from '../../../src/service/workspace/components/components.ts'

function assign(files: string[], text: string) {
  return assignOwners(suggestComponents(files), files, parseCodeOwners(text).rules)
}

/** The owners of a file by the components. */
function attribution(files: string[], text: string): (file: string) => string | undefined {
  const components = assign(files, text)
  const owners = compileComponents(
    components.map(({ globs, excludes }, index) => ({
      id: String(index),
      path_globs: globs,
      exclude_globs: excludes,
      position: index,
    })),
  )
  return (file) => {
    const owner = owners.findOwner(file)
    return owner === undefined ? undefined : components[Number(owner)]?.owners.map(({ ref }) => ref).join(' ')
  }
}

test('folders have their owners, and a part of a folder with other owners is a component', () => {
  const files = ['src/main.ts', 'src/cart/cart.ts', 'src/cart/legacy/old.ts', 'src/pay/pay.ts']
  const text = '* @acme/core\n/src/pay/ @acme/pay boss@acme.example # money\n/src/cart/legacy/ @ann\n'
  expect(assign(files, text)).toEqual([
    { name: 'src', globs: ['src/*'], excludes: [], owners: [{ kind: 'OWNER_KIND_TEAM', ref: '@acme/core' }] },
    {
      name: 'cart',
      globs: ['src/cart/**'],
      excludes: ['src/cart/legacy/**'],
      owners: [{ kind: 'OWNER_KIND_TEAM', ref: '@acme/core' }],
    },
    {
      name: 'pay',
      globs: ['src/pay/**'],
      excludes: [],
      owners: [
        { kind: 'OWNER_KIND_TEAM', ref: '@acme/pay' },
        { kind: 'OWNER_KIND_EMAIL', ref: 'boss@acme.example' },
      ],
    },
    {
      name: 'src/cart/legacy',
      globs: ['src/cart/legacy/**'],
      excludes: [],
      owners: [{ kind: 'OWNER_KIND_USER', ref: '@ann' }],
    },
  ])
})

test('a rule for a single file has that file, and no folder of its name', () => {
  const files = ['src/cart/cart.ts', 'src/cart/price.ts', 'src/pay/pay.ts']
  const [cart, , price] = assign(files, '* @core\n/src/cart/price.ts @money\n')
  expect(cart).toMatchObject({ globs: ['src/cart/**'], excludes: ['src/cart/price.ts'] })
  expect(price).toMatchObject({ name: 'src/cart/price.ts', globs: ['src/cart/price.ts'] })
})

test('the last rule has a file, also where an earlier one is more specific', () => {
  const files = ['src/cart/a.ts', 'src/cart/b.py', 'src/pay/c.ts', 'src/pay/d.py']
  const owner = attribution(files, '/src/cart/ @cart\n/src/pay @pay\n*.py @snakes\n')
  expect(files.map(owner)).toEqual(['@cart', '@snakes', '@pay', '@snakes'])
  // Files that come later follow the rules as well.
  expect(['src/cart/new.py', 'src/cart/deep/new.ts'].map(owner)).toEqual(['@snakes', '@cart'])
})

/** The owners of the last rule that matches, by a reading of the patterns that is not the product's. */
function byTheBook(file: string, rules: readonly { pattern: string; owner: string }[]): string | undefined {
  return rules.findLast(({ pattern }) => {
    const body = pattern
      .replace(/^\//, '')
      .replace(/\/$/, '')
      .replaceAll('.', '\\.')
      .replaceAll('**/', '(?:@/)?')
      .replaceAll('*', '[^/]*')
      .replaceAll('@', '.*')
    const isAnchored = /\/./.test(pattern) || pattern.startsWith('/')
    const end = pattern === '*' || pattern.endsWith('/') ? '/.*' : pattern.includes('*') ? '' : '(?:/.*)?'
    return pattern === '*' || new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${body}${end}$`).test(file)
  })?.owner
}

test('for any rules, a file in a component belongs to the owners of the last rule that matches it', () => {
  const segment = fc.constantFrom('src', 'cart', 'web', 'packages')
  const file = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('a.ts', 'b.py', 'c.ts'))
    .map(([folders, name]) => [...folders, name].join('/'))
  const pattern = fc.oneof(
    fc.constantFrom('*', '*.ts', '*.py', 'a.ts', 'cart/', 'web', '/src/', '/src/cart/*.ts', '**/web/', 'src/*.py'),
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((folders) => `/${folders.join('/')}/`),
  )
  fc.assert(
    fc.property(
      fc.uniqueArray(file, { minLength: 1, maxLength: 12 }),
      fc.array(pattern, { maxLength: 6 }),
      (files, patterns) => {
        const rules = patterns.map((one, index) => ({ pattern: one, owner: `@o${String(index)}` }))
        const owner = attribution(files, rules.map((rule) => `${rule.pattern} ${rule.owner}`).join('\n'))
        for (const path of files) expect([path, owner(path)]).toEqual([path, byTheBook(path, rules) ?? ''])
      },
    ),
    { numRuns: 500 },
  )
})

test('escapes, comments, sections of GitLab and lines without owners are read as the hosts read them', () => {
  const text = [
    '\\#notes/ @hash',
    'docs/my\\ file.md @space # why',
    '[Backend][2] @backend',
    '/api/ ',
    '/api/own/ @special',
    '^[Optional]',
    '/web/',
    '@@maintainers not-an-owner',
    '/roles/ @@maintainer @group/sub/team nobody',
  ].join('\r\n')
  const { rules } = parseCodeOwners(text)
  expect(rules.map(({ globs, owners }) => [globs.at(-1), owners.map(({ ref }) => ref).join(' ')])).toEqual([
    ['**/#notes/**', '@hash'],
    ['docs/my file.md/**', '@space'],
    ['api/**', '@backend'],
    ['api/own/**', '@special'],
    ['web/**', ''],
    ['**/\\@\\@maintainers/**', ''],
    ['roles/**', '@@maintainer @group/sub/team'],
  ])
})

test('what no glob can say is left out by its line, whatever a hostile file says', () => {
  const text = `!keep @a\n/ok/ @b\n[a-z]x @c\n../out/ @d\n${'*a'.repeat(40)} @e\n/x\u0007y/ @f\n${'p/'.repeat(400)} @g\n`
  const { rules, unread } = parseCodeOwners(text)
  expect(rules.map(({ pattern }) => pattern)).toEqual(['/ok/'])
  expect(unread).toEqual([1, 3, 4, 5, 6, 7])
  const many = parseCodeOwners(Array.from({ length: 5000 }, (_, index) => `/f${String(index)}/ @a`).join('\n'))
  expect(many.rules).toHaveLength(500)
  expect(many.rules.at(-1)?.pattern).toBe('/f4999/')
  const owners = Array.from({ length: 100 }, (_, index) => `@o${String(index)}`).join(' ')
  expect(parseCodeOwners(`* ${owners} @${'x'.repeat(300)}`).rules[0]?.owners).toHaveLength(50)
})

test('folders with the characters of globs are components of their own files', () => {
  const components = assign(['packages/[id]/a.ts', 'packages/(shop)/b.ts', 'packages/x y/c.ts'], '')
  expect(components.map(({ name, globs }) => [name, ...globs])).toEqual([
    ['[id]', 'packages/\\[id\\]/**'],
    ['(shop)', 'packages/\\(shop\\)/**'],
    ['x y', 'packages/x y/**'],
  ])
})
