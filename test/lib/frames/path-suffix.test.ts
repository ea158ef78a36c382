import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchSuffix } from '../../../src/lib/frames/path-suffix.ts'

const file = (path: string, files: string[]) => matchSuffix([path], files)?.file

test('the file with the longest end in common is found, whichever of the two paths is longer', () => {
  expect(file('home/runner/work/x/x/pkg/a.go', ['pkg/a.go', 'other/pkg/b.go'])).toBe('pkg/a.go')
  expect(file('com/acme/Pay.java', ['app/src/main/java/com/acme/Pay.java'])).toBe('app/src/main/java/com/acme/Pay.java')
  expect(file('app/pay/a.py', ['services/pay-svc/pay/a.py', 'tools/a.py'])).toBe('services/pay-svc/pay/a.py')
  expect(file('srv/shop/pkg/a.go', ['pkg/a.go', 'shop/pkg/a.go'])).toBe('shop/pkg/a.go')
})

test('of two ends of one length the whole path wins, and two that are alike give none', () => {
  expect(file('home/me/pkg/a.go', ['pkg/a.go', 'examples/pkg/a.go'])).toBe('pkg/a.go')
  expect(file('src/a.py', ['src/a.py', 'old/src/a.py'])).toBe('src/a.py')
  expect(matchSuffix(['pkg/a.go'], ['one/pkg/a.go', 'two/pkg/a.go'])).toEqual({ file: undefined, several: 2 })
})

test('the name alone is enough for a path without folders, and never for a script', () => {
  expect(file('Gateway.swift', ['Shop/Pay/Gateway.swift'])).toBe('Shop/Pay/Gateway.swift')
  expect(file('lib/other/utils.py', ['src/shop/utils.py'])).toBeUndefined()
  expect(file('app.js', ['src/app.js'])).toBeUndefined()
})

test('a class of another package is another file, though its last folder has the same name', () => {
  expect(file('com/other/pay/Gateway.java', ['src/main/java/com/acme/pay/Gateway.java'])).toBeUndefined()
  // Kotlin leaves out the folders that all packages share.
  expect(file('com/acme/pay/Gateway.kt', ['src/main/kotlin/pay/Gateway.kt'])).toBe('src/main/kotlin/pay/Gateway.kt')
})

test('case counts unless it is folded', () => {
  expect(file('Src/Pay/gateway.cs', ['src/Pay/Gateway.cs'])).toBeUndefined()
  const match = matchSuffix(['Src/Pay/gateway.cs'], ['src/Pay/Gateway.cs'], { foldCase: true })
  expect(match?.file).toBe('src/Pay/Gateway.cs')
})

test('what is found is one of the files, ends like the path, and does not depend on their order', () => {
  const segment = fc.constantFrom('a', 'b', 'src', 'pay')
  const path = fc.array(segment, { maxLength: 4 }).map((folders) => [...folders, 'x.go'].join('/'))
  fc.assert(
    fc.property(path, fc.array(path, { maxLength: 6 }), (wanted, files) => {
      const match = matchSuffix([wanted], files)
      expect(matchSuffix([wanted], files.toReversed())).toEqual(match)
      fc.pre(match?.file !== undefined)
      expect(files).toContain(match.file)
    }),
  )
})

test('a file that exists as the path names it wins over all others', () => {
  const segment = fc.constantFrom('a', 'b', 'src', 'pay')
  const path = fc.array(segment, { maxLength: 4 }).map((folders) => [...folders, 'x.go'].join('/'))
  fc.assert(
    fc.property(path, fc.array(path, { maxLength: 6 }), (wanted, files) => {
      expect(file(wanted, [...files, wanted])).toBe(wanted)
    }),
  )
})
