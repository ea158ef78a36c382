import { expect, test } from 'vitest'
import { attributeEvent } from '../../../../src/service/errors/issues/attribute-event.ts'
import { compileComponents } from '../../../../src/service/workspace/components/components.ts'
import { createLocator } from '../../../../src/service/workspace/components/locate-frame.ts'
import { event, exception, frame, stack, thread } from '../grouping/events.ts'

const roots = { root_path: '/srv/shop', path_strip_prefixes: [] }
const locate = createLocator({ roots, named: () => [], folders: [] })
const component = (id: string, path_globs: string[]) => ({ id, path_globs, exclude_globs: [], position: 0 })
const owners = compileComponents([component('cart', ['src/cart/**']), component('pay', ['src/pay/**'])])

test('the in-app frame nearest to the crash decides, passing over those without an owner', () => {
  const frames = stack('a@/srv/shop/src/pay/a.ts', 'b@/srv/shop/src/cart/b.ts', 'c@/srv/shop/src/util.ts', {
    filename: '/srv/shop/src/pay/c.ts',
    in_app: false,
  })
  expect(attributeEvent(owners, event({ exceptions: [exception({ frames })] }), locate)).toBe('cart')
})

test('the last exception comes before its causes, exceptions before threads', () => {
  const at = (file: string) => [frame({ filename: `/srv/shop/src/${file}` })]
  const cause = exception({ frames: at('pay/a.ts') })
  const chain = event({ exceptions: [cause, exception({ frames: at('cart/b.ts') })] })
  expect(attributeEvent(owners, chain, locate)).toBe('cart')
  const wrapped = event({
    exceptions: [cause, exception({ frames: at('util.ts') })],
    threads: [thread({ frames: at('cart/b.ts') })],
  })
  expect(attributeEvent(owners, wrapped, locate)).toBe('pay')
  const threads = [thread({ frames: at('cart/b.ts') }), thread({ crashed: true, frames: at('pay/a.ts') })]
  expect(attributeEvent(owners, event({ threads }), locate)).toBe('pay')
})

test('an event without in-app frames that someone owns belongs to nobody', () => {
  expect(attributeEvent(owners, event(), locate)).toBe('')
  const frames = stack('a@/srv/shop/node_modules/src/cart/a.js', { filename: 'src/cart/a.ts', in_app: false })
  expect(attributeEvent(owners, event({ exceptions: [exception({ frames })] }), locate)).toBe('')
})

test('of an event with many files the 100 nearest to the crash are asked, each once', () => {
  const asked: string[] = []
  const nobody = { findOwner: (path: string) => void asked.push(path), folders: [] }
  const frames = Array.from({ length: 250 }, (_, index) => frame({ filename: `src/file${index % 200}.ts` }))
  const exceptions = Array.from({ length: 20 }, () => exception({ frames }))
  expect(attributeEvent(nobody, event({ exceptions }), locate)).toBe('')
  expect(asked).toEqual(Array.from({ length: 100 }, (_, index) => `src/file${(249 - index) % 200}.ts`))
})
