import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  findDebugId,
  normalDebugId,
  sourceMappingUrl,
} from '../../../../../src/service/errors/sourcemaps/process/comments.ts'
import { debugId, otherDebugId } from '../uploads/rig.ts'

test.each([
  ['a();\n//# sourceMappingURL=app.js.map', 'app.js.map'],
  ['a();\n//@ sourceMappingURL=app.js.map\n', 'app.js.map'],
  ['a();//# sourceMappingURL=app.js.map\r\n//# debugId=x\n', 'app.js.map'],
  ['a{}/*# sourceMappingURL=app.css.map */', 'app.css.map'],
  ['//# sourceMappingURL=old.map\n//# sourceMappingURL=new.map', 'new.map'],
  ['a();\n//# sourceMappingURL=data:application/json;base64,e30=\n', 'data:application/json;base64,e30='],
])('the address of the map is read: %j', (code, url) => {
  expect(sourceMappingUrl(code)).toBe(url)
})

test.each([
  'a()',
  'a("//# sourceMappingURL=no.map")',
  'b=`\n//# sourceMappingURL=${x}`',
  '//# sourceMappingURL=early.map\na()',
  '// sourceMappingURL=plain.map',
  '//# sourceMappingURL=two words',
  '//# sourceMappingURL=',
])('what only looks like the comment is none: %j', (code) => {
  expect(sourceMappingUrl(code)).toBe('')
})

test('a debug id comes from the comment, else from the snippet that plugins put in front', () => {
  const snippet = `e._sentryDebugIdIdentifier="sentry-dbid-${otherDebugId}";`
  expect(findDebugId(`${snippet}a();\n//# debugId=${debugId}\n//# sourceMappingURL=a.map`)).toBe(debugId)
  expect(findDebugId(`${snippet}a();`)).toBe(otherDebugId)
  expect(findDebugId('a();\n//# debugId=none')).toBe('')
})

test('every way to write a debug id gives the same one', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), fc.boolean(), (id, isUpper, isBare) => {
      const bare = isBare ? id.replaceAll('-', '') : id
      expect(normalDebugId(isUpper ? bare.toUpperCase() : bare)).toBe(id)
    }),
  )
  for (const text of ['', 'x'.repeat(32), debugId.slice(1), `${debugId}0`]) expect(normalDebugId(text)).toBe('')
})
