import { expect, test } from 'vitest'
import { findImports } from '../../../src/mcp/files/imports.ts'

test.each([
  ['src/a/b.ts', "import { x } from '../money.ts'", 'src/money.ts'],
  ['src/a/b.ts', "} from './list'", 'src/a/list.ts'],
  ['src/a/b.ts', "export * from './list'", 'src/a/list/index.ts'],
  ['src/a/b.ts', "import { x } from './money.js'", 'src/a/money.ts'],
  ['src/a/b.js', "const x = require('./money')", 'src/a/money.js'],
  ['src/App.vue', "const Cart = () => import('./Cart.vue')", 'src/Cart.vue'],
  ['ledger/web/app.py', 'from ..money import parse', 'ledger/money.py'],
  ['ledger/web/app.py', 'from . import forms', 'ledger/web/forms.py'],
  ['ledger/web/app.py', 'from ledger.money import parse', 'ledger/money.py'],
  ['src/ledger/app.py', 'from ledger import money', 'src/ledger/money.py'],
  ['ledger/app.py', 'import ledger.sheets as sheets, os', 'ledger/sheets/__init__.py'],
  [
    'src/main/java/com/acme/A.java',
    'package com.acme;\nimport com.acme.pay.Gateway;',
    'src/main/java/com/acme/pay/Gateway.java',
  ],
  ['src/main/kotlin/com/acme/A.kt', 'package com.acme\nimport com.acme.pay.charge', 'src/main/kotlin/com/acme/pay.kt'],
  ['app/cart.rb', "require_relative '../lib/money'", 'lib/money.rb'],
  ['src/cart.c', '#include "money.h"', 'src/money.h'],
])('%s with %j may import %s', (path, text, expected) => {
  const imports = findImports(path, text)
  expect(imports.flatMap(({ candidates }) => candidates)).toContain(expected)
})

test.each([
  ['src/a.ts', "import z from 'zod'\nimport '@/cart'"],
  ['src/a.ts', "import '../../outside.ts'"],
  ['main.go', 'import "github.com/acme/shop"'],
  ['src/a.ts', `import './${'x'.repeat(600)}'`],
])('%s with %j imports no file of the repository', (path, text) => expect(findImports(path, text)).toEqual([]))
