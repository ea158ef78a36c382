import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findTemplates } from '../../../src/mcp/variation/templates.ts'

test.each([
  [['row 7 has 1.50', 'row 12 has 3.00'], 'row {} has {}', ['7', '1.50']],
  [['GET /api/items/7 200', 'GET /api/items/8 404'], 'GET /api/items/{} {}', ['7', '200']],
  [['user ann signed in', 'user bob signed in'], 'user {} signed in', ['ann']],
  [['amount "a b" is odd', 'amount "c" is odd'], 'amount {} is odd', ['"a b"']],
  [['one text alone'], 'one text alone', []],
])('the texts %j share the template %s', (texts, template, values) => {
  expect(findTemplates(texts)(texts[0] ?? '')).toEqual({ template, values })
})

test.each([[['cart opened by the visitor', 'payment refused by a provider']], [['a/b', 'a b']], [['saved', 'lost']]])(
  'the texts %j have templates of their own',
  (texts) => {
    const template = findTemplates(texts)
    expect(new Set(texts.map((text) => template(text).template)).size).toBe(texts.length)
  },
)

test('a template with its values put back is the text, whatever the texts are', () => {
  const text = fc.array(fc.constantFrom('a', 'b1', '22', ' ', '=', '"', "'q r'", '/', 'x', '{}', 'é'), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(
      fc.array(
        text.map((parts) => parts.join('')),
        { maxLength: 20 },
      ),
      (texts) => {
        const template = findTemplates(texts)
        for (const each of texts) {
          const { template: constant, values } = template(each)
          const parts = constant.split('{}')
          // Braces of the text itself look like a variable.
          fc.pre(parts.length === values.length + 1)
          expect(parts.map((part, index) => part + (values[index] ?? '')).join('')).toBe(each)
        }
      },
    ),
  )
})
