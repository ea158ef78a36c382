import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MinifiedDefect } from '../../../../../src/service/errors/sourcemaps/scopes/defect.ts'
import { openScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/scope-table.ts'
import { writeScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/write-scope-table.ts'
import { inFolder, innermostAt, withScopes } from './tables.ts'

/** Kind and name of the innermost function around HERE, as the minified text has them. */
function innermost(minified: string): string {
  const found = innermostAt(minified)
  if (found === undefined) return 'none'
  const name = found.path.map((token) => token.text).join('.')
  const owner = found.owner?.path.map((token) => token.text).join('.')
  const flags = `${found.isStatic ? 'static ' : ''}${found.isAsync ? 'async ' : ''}`
  return `${flags}${found.kind} ${owner === undefined ? '' : `[${owner}]`}${name}`
}

test.each([
  ['function f(){HERE}', 'function f'],
  ['async function*f(){HERE}', 'async function f'],
  ['let a=function(){HERE}', 'function a'],
  ['let a=function b(){HERE}', 'function b'],
  ['let a=async()=>HERE', 'async arrow a'],
  ['a??=()=>HERE', 'arrow a'],
  ['a.b.c=()=>HERE', 'arrow a.b.c'],
  ['a["b-c"]=()=>HERE', 'arrow a.b-c'],
  ['a[0]=()=>HERE', 'arrow '],
  ['a[b]=()=>HERE', 'arrow '],
  ['A.prototype.b=function(){HERE}', 'function A.b'],
  ['a({b:()=>HERE})', 'arrow b'],
  ['a({"b-c":()=>HERE})', 'arrow b-c'],
  ['a({404:()=>HERE})', 'arrow 404'],
  ['a({[b]:()=>HERE})', 'arrow '],
  ['a({b(){HERE}})', 'method b'],
  ['a({get b(){HERE}})', 'getter b'],
  ['a({async*[Symbol.asyncIterator](){HERE}})', 'async method [Symbol.asyncIterator]'],
  ['a(()=>HERE)', 'arrow '],
  ['let a=b(()=>HERE)', 'arrow '],
  ['let a=b?()=>HERE:c', 'arrow a'],
  ['let a=b||function(){HERE}', 'function a'],
  ['let a=b||(()=>HERE)', 'arrow '],
  ['let a=(b,()=>HERE)', 'arrow a'],
  ['let a=[()=>HERE]', 'arrow a'],
  ['let{a=()=>HERE}=b', 'arrow a'],
  ['function f(a=()=>HERE){}', 'arrow a'],
  ['for(let a=()=>HERE;;);', 'arrow a'],
  ['if(a)var b=()=>HERE', 'arrow b'],
  ['switch(a){case 1:var b=()=>HERE}', 'arrow b'],
  ['try{}catch{b=()=>HERE}', 'arrow b'],
  ['export default function(){HERE}', 'function default'],
  ['export default()=>HERE', 'arrow default'],
  ['export default class{a(){HERE}}', 'method [default]a'],
  ['export const a=()=>HERE', 'arrow a'],
  ['class A{b(){HERE}}', 'method [A]b'],
  ['class A{static async b(){HERE}}', 'static async method [A]b'],
  ['class A{static b(){HERE}}', 'static method [A]b'],
  ['class A{#b(){HERE}}', 'method [A]#b'],
  ['class A{set b(c){HERE}}', 'setter [A]b'],
  ['class A{constructor(){HERE}}', 'constructor [A]'],
  ['class A{b=()=>HERE}', 'arrow [A]b'],
  ['class A{#b=function(){HERE}}', 'function [A]#b'],
  ['class A{static b=()=>HERE}', 'static arrow [A]b'],
  ['class A{b=c(HERE)}', 'fields [A]'],
  ['class A{static b=c(HERE)}', 'static static fields [A]'],
  ['class A{static{HERE}}', 'static static fields [A]'],
  ['class A{[HERE](){}}', 'none'],
  ['class A extends HERE{}', 'none'],
  ['let a=class{b(){HERE}}', 'method [a]b'],
  ['let a=class B{b(){HERE}}', 'method [B]b'],
  ['class A{constructor(){this.b=()=>HERE}}', 'arrow [A]b'],
  ['class A{c(){d(()=>{this.b=function(){HERE}})}}', 'function [A]b'],
  ['function A(){this.b=function(){HERE}}', 'function [A]b'],
  ['HERE;function f(){}', 'none'],
])('of %s the innermost function is %s', (minified, expected) => {
  expect(innermost(minified)).toBe(expected)
})

test('a constructor that is not written out is where its class begins, as V8 says', () => {
  const innermostAtColumn = (column: number) =>
    withScopes('let a=class{b=1}', (table) => table.innermost(0, column)?.kind)
  expect(innermostAtColumn(6)).toBe('constructor')
  expect(innermostAtColumn(11)).toBeUndefined()
})

test('a function comes with its range and the positions of its name and of its owner', () => {
  const minified = 'class A{b(){return c.map(d=>HERE)}}'
  expect(innermostAt(minified)).toEqual({
    start: { line: 0, column: 25 },
    end: { line: 0, column: 32 },
    kind: 'arrow',
    isStatic: false,
    isAsync: false,
    path: [],
    owner: undefined,
  })
  expect(innermostAt(minified, 'c.map')).toEqual({
    start: { line: 0, column: 9 },
    end: { line: 0, column: 34 },
    kind: 'method',
    isStatic: false,
    isAsync: false,
    path: [{ line: 0, column: 8, text: 'b', kind: 'key' }],
    owner: { line: 0, column: 0, path: [{ line: 0, column: 6, text: 'A', kind: 'identifier' }], isClass: true },
  })
})

test('columns count UTF-16 units, also behind characters beyond the basic plane', () => {
  const found = innermostAt('let a="😀😀",b=()=>HERE')
  expect(found?.start).toEqual({ line: 0, column: 15 })
  expect(found?.path).toEqual([{ line: 0, column: 13, text: 'b', kind: 'identifier' }])
})

test.each(['\n', '\r\n', '\r', '\u2028', '\u2029'])('a line ends with %j', (end) => {
  const minified = ['#!/usr/bin/env node', '"use strict"', 'function f(){', 'HERE}'].join(end)
  const found = innermostAt(minified)
  expect(found?.start).toEqual({ line: 2, column: 0 })
  expect(found?.end).toEqual({ line: 3, column: 5 })
})

test.each([
  ['a script', 'with(a)b=function(){HERE}', 'function b'],
  ['a file with a return outside of functions', 'let a=()=>HERE;return a', 'arrow a'],
  ['a script that awaits at its top level', 'await 1;let a=()=>HERE', 'arrow a'],
  ['a chunk that declares a name twice', 'let a=1;let a=()=>HERE', 'arrow a'],
  ['modules that were put one after the other', 'let a=()=>HERE;import"b";export{c}', 'arrow a'],
])('%s is read', (_, minified, expected) => {
  expect(innermost(minified)).toBe(expected)
})

test('a file without functions has an empty table', () => {
  expect(withScopes('', (table) => table.innermost(0, 0))).toBeUndefined()
  expect(withScopes('a=1', (table) => table.innermost(7, 3))).toBeUndefined()
})

test('an expression of 200,000 operands is read', () => {
  const operands = Array.from({ length: 200_000 }, (_, index) => `a${index}`).join('+')
  expect(innermost(`let b=()=>${operands}+HERE`)).toBe('arrow b')
})

test('functions are found in literals of data', () => {
  expect(innermost('let a=[1,{b:[2,{}],c:{d:"",e:()=>HERE}},,[]]')).toBe('arrow e')
  expect(innermost('let{a=[1],b:{c=()=>HERE}={}}=d,[,e]=[]')).toBe('arrow c')
})

test.each([
  ['text of another kind', '<html><body>secret</body></html>'],
  ['JavaScript that was cut off', 'function secret(){'],
  ['code that nests too deeply', `${'['.repeat(100_000)}secret${']'.repeat(100_000)}`],
  ['code of more than half a million functions', `[${'()=>secret,'.repeat(500_001)}]`],
  ['code of more than 32 Mi characters', `${' '.repeat(32 * 1024 * 1024)}secret`],
])('%s is refused with a sentence that holds nothing of it, and no table', (_, minified) => {
  inFolder((folder) => {
    const file = join(folder, 'scopes')
    const defect = thrownBy(() => writeScopeTable(minified, file))
    expect(defect.message).toMatch(/^The (?:file|code) .*\.$/)
    expect(defect.message).not.toContain('secret')
    expect(existsSync(file)).toBe(false)
  })
})

function thrownBy(run: () => void): MinifiedDefect {
  try {
    run()
  } catch (error) {
    if (error instanceof MinifiedDefect) return error
    throw error
  }
  throw new Error('it was not refused')
}

test('a file that is not a table, or only a part of one, is refused', () => {
  inFolder((folder) => {
    const file = join(folder, 'scopes')
    writeFileSync(file, 'a file of another kind, long enough')
    expect(() => openScopeTable(file)).toThrow('scopes is not a table')
    writeFileSync(file, 'short')
    expect(() => openScopeTable(file)).toThrow('scopes is not a table')
  })
})

test('a closed table is not read, and may be closed again', () => {
  const table = withScopes('function f(){}', (open) => open)
  expect(() => table.innermost(0, 12)).toThrow('the table is closed')
  table.close()
})

interface Tree {
  form: 'function' | 'arrow' | 'method'
  gap: string
  inner: readonly Tree[]
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => {
  const form = fc.constantFrom('function', 'arrow', 'method')
  const gap = fc.constantFrom('', ' ', '\n', '\r\n', '"😀";', '/*\u2028*/')
  const leaf = fc.record({ form, gap, inner: fc.constant([]) })
  const branch = fc.record({ form, gap, inner: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }) })
  return { tree: fc.oneof({ maxDepth: 5, depthSize: 'medium' }, leaf, branch) }
})

interface Span {
  start: number
  end: number
}

/** Writes a program of the trees and notes where its functions are. */
function writeProgram(trees: readonly Tree[]): { text: string; spans: Span[] } {
  const spans: Span[] = []
  let text = ''
  const write = ({ form, gap, inner }: Tree): void => {
    text += gap + { function: '', arrow: '(', method: 'class C{constructor' }[form]
    if (form === 'method') {
      spans.push({ start: text.length, end: text.length + 4 })
      text += '(){}m'
    }
    const start = text.length
    text += { function: 'function f(){', arrow: '()=>{', method: '(){' }[form]
    for (const each of inner) write(each)
    text += `${gap}}`
    spans.push({ start, end: text.length })
    text += { function: '', arrow: ');', method: '}' }[form]
  }
  for (const each of trees) write(each)
  return { text, spans }
}

test('the innermost function is the one that a scan of all functions finds, whatever nests in what', () => {
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 40 }), (trees) => {
      const { text, spans } = writeProgram(trees)
      const lines = text.split(/\r\n|[\n\u2028]/)
      const offsets = [...text.matchAll(/\r\n|[\n\u2028]/g)].map((end) => end.index + end[0].length)
      const toPosition = (offset: number) => {
        const line = offsets.filter((start) => start <= offset).length
        return { line, column: offset - (offsets[line - 1] ?? 0) }
      }
      withScopes(text, (table) => {
        for (let line = 0; line < lines.length; line++) {
          for (let column = 0; column <= (lines[line]?.length ?? 0); column += 3) {
            const offset = (offsets[line - 1] ?? 0) + column
            const [span] = spans
              .filter(({ start, end }) => start <= offset && offset < end)
              .toSorted((a, b) => b.start - a.start)
            const found = table.innermost(line, column)
            expect(found && { start: found.start, end: found.end }).toEqual(
              span && { start: toPosition(span.start), end: toPosition(span.end) },
            )
          }
        }
      })
    }),
    { numRuns: 60 },
  )
})

test('a damaged byte never gives another answer than the whole table', () => {
  const code = 'class A{static #b(){HERE}c=1}let d=function(){HERE};e.f.g=()=>HERE;export default function(){HERE}'
  const places = [...code.matchAll(/HERE/g)].map(({ index }) => index)
  inFolder((folder) => {
    const file = join(folder, 'scopes')
    writeScopeTable(code, file)
    const answers = () => {
      const table = openScopeTable(file)
      try {
        return places.map((column) => table.innermost(0, column))
      } finally {
        table.close()
      }
    }
    const whole = readFileSync(file)
    const right = answers()
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 1 + (at % 255)
      writeFileSync(file, damaged)
      expect(answers, `byte ${at}`).toThrow(/damaged|not a table/)
    }
    writeFileSync(file, whole)
    expect(answers()).toEqual(right)
  })
})

test('a private name of any length is read', () => {
  const name = 'b'.repeat(70_000)
  expect(innermost(`class A{#${name}(){HERE}}`)).toMatch(/^method \[A\]#b{10,119}$/)
})
