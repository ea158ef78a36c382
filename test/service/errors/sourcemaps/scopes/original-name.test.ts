import { expect, test } from 'vitest'
import { enclosingName } from '../../../../../src/service/errors/sourcemaps/scopes/enclosing-name.ts'
import {
  calledAt,
  literalAt,
  literalNameAt,
  nameAt,
  symbolAt,
} from '../../../../../src/service/errors/sourcemaps/scopes/original-name.ts'

/** The text without the mark and the offset at which it stood. */
function marked(text: string): [text: string, offset: number] {
  return [text.replace('▸', ''), text.indexOf('▸')]
}

test.each([
  ['▸add(line)', 'add'],
  ['▸größe = 1', 'größe'],
  ['▸#sum() {', '#sum'],
  ['▸async function load() {', 'load'],
  ['▸function* pages() {', 'pages'],
  ['▸export default function () {', 'default'],
  ['▸export default async function load() {', 'load'],
  ['▸export default class extends Cart {', 'default'],
  ['▸export default (line) => {', 'default'],
  ['▸abstract class Cart {', 'Cart'],
  ['▸class extends Cart {', ''],
  ['▸static async open() {', 'open'],
  ['▸private static #count(limit) {', '#count'],
  ['▸async *pages() {', 'pages'],
  ['▸get total() {', 'total'],
  ['class Cart { ▸delete() {', 'delete'],
  ['▸return add', ''],
  ['▸(line) => add', ''],
  ['▸', ''],
])('the name at the mark in %j is %j', (text, name) => {
  expect(nameAt(...marked(text))).toBe(name)
})

test.each([
  ['const add = ▸(line) => {', 'add'],
  ['const add = async ▸(line) => {', 'add'],
  ['const add = (▸line) => {', 'add'],
  ['const add = (▸line: Line, at: () => void): void => {', 'add'],
  ['const add: (line: Line) => void = ▸(line) => {', 'add'],
  ['const table: Table = {}\nadd.line = ▸(line) => {', 'add.line'],
  ['// as it was said.\n\nadd.line = ▸function () {', 'add.line'],
  ['Cart.prototype.add = ▸function () {', 'Cart.add'],
  ['this.add = ▸(line) => {', 'add'],
  ['module.exports.add ??= ▸(line) => {', 'module.exports.add'],
  ['const round = ▸function roundCents() {', 'roundCents'],
  ['{ add: ▸(line) => {', 'add'],
  ["{\n  'add-line': ▸async (line) => {", 'add-line'],
  ['  readonly add = ▸(line) => {', 'add'],
  ['function f(make = ▸() => {', 'make'],
  ['export default ▸() => {', 'default'],
  ['const Cart = ▸class {', 'Cart'],
  ['const Cart = ▸class Basket extends Order {', 'Basket'],
  ['lines.map(▸(line) => {', ''],
  ['lines.map(async ▸(line) => {', ''],
  ['const curry = (a) => ▸(b) => {', ''],
  ['return ▸function () {', ''],
  [';(▸function () {', ''],
  ['\n(▸() => {', ''],
  ['  readonly add: Handler = ▸(line) => {', undefined],
  ['const add = ok ? ▸(line) => {', undefined],
  ['use(first, ▸(line) => {', undefined],
  ['const add = ▸lines.map(', undefined],
])('the literal at the mark in %j is named %j', (text, name) => {
  expect(literalNameAt(...marked(text))).toBe(name)
})

test.each([
  ['▸add(line)', 'add'],
  ['▸new Cart(line)', 'new Cart'],
  ['▸new shop.Cart()', 'new Cart'],
  ['▸(0, add)(line)', ''],
])('what is called at the mark in %j is %j', (text, name) => {
  expect(calledAt(...marked(text))).toBe(name)
})

test('keys in quotes, numbers and well-known symbols are read where they stand', () => {
  expect(literalAt(...marked("{ ▸'a-b': 1"))).toBe('a-b')
  expect(literalAt(...marked('{ ▸404: 1'))).toBe('404')
  expect(literalAt(...marked('{ ▸a: 1'))).toBe('')
  expect(symbolAt(...marked('*▸[Symbol.iterator]() {'))).toBe('[Symbol.iterator]')
  expect(symbolAt(...marked('*[▸Symbol.iterator]() {'))).toBe('[Symbol.iterator]')
  expect(symbolAt(...marked('▸[key]() {'))).toBe('')
})

test.each([
  ['function load() {\n  if (ok) {\n    for (;;) {\n      HERE', 'load'],
  ['export default async () => {\n  HERE', 'default'],
  ['export const load = async (\n  path,\n  options,\n) => {\n  HERE', 'load'],
  ['const load: Loader = (path) => {\n\n  // why\n  HERE', 'load'],
  ['handlers.save = function () {\n  HERE', 'handlers.save'],
  ['const handlers = {\n  save: async () => {\n    HERE', 'save'],
  ['const handlers = {\n  save(body) {\n    HERE', 'save'],
  [
    'export class Cart extends Base {\n  total = 0\n\n  static async open(path: string): Promise<Cart> {\n    HERE',
    'Cart.open',
  ],
  ['const Cart = class {\n  constructor() {\n    HERE', 'new Cart'],
  ['class Cart {\n  #sum() {\n    if (ok) {\n    } else {\n      HERE', 'Cart.#sum'],
  ['function load() {\n  return lines.map((line) => {\n    HERE', ''],
  ['function load() {\n  const twice = (line) => HERE', 'twice'],
  ['function load() {\n  return lines.map((line) => HERE', ''],
  ['function load() {\n}\nHERE', ''],
  ['HERE', ''],
])('the function around the end of %j is %j by its indentation', (text, name) => {
  expect(enclosingName(text.split('\n'))).toBe(name)
})
