import { crash, own, pair, system, type Pair, type Sent } from './pair.ts'

const one = [own('a@a.py')]
const two = [own('b@b.py')]
const printed = (fingerprint: string[], frames: Sent[] = one, exception: Sent = {}, members: Sent = {}) =>
  crash('python', frames, exception, { fingerprint, ...members })

/** A variable has the value of the event: the same makes one issue of two crashes, another makes two. */
function variable(names: string[], value: Sent, other: Sent): Pair[] {
  return names.flatMap((name) => [
    pair(
      `{{ ${name} }} is its value`,
      true,
      { ...printed([`{{ ${name} }}`], one), ...value },
      { ...printed([`{{${name}}}`], one), ...value },
    ),
    pair(
      `another {{ ${name} }} is another issue`,
      false,
      { ...printed([`{{ ${name} }}`]), ...value },
      { ...printed([`{{ ${name} }}`]), ...other },
    ),
  ])
}

/** A variable without a value is a text that says so. */
const absent = (name: string, text: string) =>
  pair(
    `{{ ${name} }} of nothing is ${text}`,
    true,
    { message: 'x', fingerprint: [`{{ ${name} }}`], level: 'error' },
    { message: 'y', fingerprint: [text] },
  )

const thrownBy = (exception: Sent, frames: Sent[] = one) => crash('python', frames, exception)
const frame = (members: Sent) => crash('native', [own('pay', { abs_path: 'a', ...members }), system('abort')])
const hash = '0123456789abcdef0123456789abcdef'

/** Fingerprints, their variables and checksums (`fingerprinting`, `api.py`). */
export const fingerprintPairs: readonly Pair[] = [
  pair('a fingerprint decides', true, printed(['pay'], one), printed(['pay'], two)),
  pair('another fingerprint is another issue', false, printed(['pay']), printed(['cart'])),
  pair('the order of entries counts', false, printed(['a', 'b']), printed(['b', 'a'])),
  pair('entries do not run together', false, printed(['a', 'bc']), printed(['ab', 'c'], two)),
  pair('{{ default }} alone is none', true, printed(['{{ default }}']), crash('python', one)),
  pair('spaces in {{default}} do not count', true, printed(['{{default}}', 'x']), printed(['{{   default }}', 'x'])),
  pair('{{ default }} and a text is another issue', false, printed(['{{ default }}', 'x']), crash('python', one)),
  pair(
    '{{ default }} and another text is another issue',
    false,
    printed(['{{ default }}', 'x']),
    printed(['{{ default }}', 'y']),
  ),
  pair(
    '{{ default }} keeps stacks apart',
    false,
    printed(['{{ default }}', 'x'], one),
    printed(['{{ default }}', 'x'], two),
  ),
  pair(
    '{{ default }} and a variable',
    false,
    printed(['{{ default }}', '{{ transaction }}'], one, {}, { transaction: 'a' }),
    printed(['{{ default }}', '{{ transaction }}'], one, {}, { transaction: 'b' }),
  ),
  pair(
    'the case of a variable counts',
    true,
    printed(['{{ Default }}'], one),
    printed(['<unrecognized-variable-Default>'], two),
  ),
  pair(
    'an unknown variable is a text that says so',
    true,
    printed(['{{ nothing }}'], one),
    printed(['<unrecognized-variable-nothing>'], two),
  ),
  pair('two unknown variables are two texts', false, printed(['{{ nothing }}']), printed(['{{ something }}'])),
  pair(
    'a variable inside of a text is text',
    true,
    printed(['of {{ error.type }}'], one, { type: 'A' }),
    printed(['of {{ error.type }}'], two, { type: 'B' }),
  ),
  pair(
    '{{ error.type }} joins stacks',
    true,
    printed(['{{ error.type }}'], one, { type: 'A' }),
    printed(['{{ error.type }}'], two, { type: 'A' }),
  ),
  pair('{{ type }} is {{ error.type }}', true, printed(['{{ type }}'], one), printed(['{{ error.type }}'], two)),
  pair('{{ value }} is {{ error.value }}', true, printed(['{{ value }}'], one), printed(['{{ error.value }}'], two)),
  pair(
    '{{ function }} is {{ stack.function }}',
    true,
    printed(['{{ function }}'], one),
    printed(['{{ stack.function }}'], one),
  ),
  pair('a variable is its value as text', true, printed(['{{ error.type }}'], one, { type: 'A' }), printed(['A'], two)),
  ...variable(['error.type', 'type'], thrownBy({ type: 'A' }), thrownBy({ type: 'B' })),
  ...variable(['error.value', 'value'], thrownBy({ value: 'a' }), thrownBy({ value: 'b' })),
  ...variable(['transaction'], { transaction: 'GET /a' }, { transaction: 'GET /b' }),
  ...variable(['level'], { level: 'error' }, { level: 'warning' }),
  ...variable(['logger'], { logger: 'a' }, { logger: 'b' }),
  ...variable(['tags.shop'], { tags: { shop: 'a' } }, { tags: { shop: 'b' } }),
  ...variable(['tags.environment'], { environment: 'a' }, { environment: 'b' }),
  ...variable(['function', 'stack.function'], frame({ function: 'a' }), frame({ function: 'b' })),
  ...variable(['module', 'stack.module'], frame({ module: 'a' }), frame({ module: 'b' })),
  ...variable(['package', 'stack.package'], frame({ package: '/x/a.so' }), frame({ package: '/x/b.so' })),
  ...variable(['path', 'stack.abs_path'], frame({ abs_path: '/a' }), frame({ abs_path: '/b' })),
  ...variable(['stack.filename'], frame({ filename: 'a' }), frame({ filename: 'b' })),
  pair(
    'of a package the last segment counts',
    true,
    { ...frame({ package: '/x/a.so' }), fingerprint: ['{{ package }}'] },
    { ...frame({ package: 'C:\\y\\a.so' }), fingerprint: ['{{ package }}'] },
  ),
  pair(
    'the frame of a variable is in-app',
    true,
    printed(['{{ function }}'], [...one, system('x@x.py')]),
    printed(['{{ function }}'], [...one, system('y@y.py')]),
  ),
  pair(
    'without in-app frames it is the last one',
    false,
    printed(['{{ function }}'], [system('x@x.py')]),
    printed(['{{ function }}'], [system('y@y.py')]),
  ),
  pair(
    '{{ message }} is parameterised',
    true,
    { message: 'user 1', fingerprint: ['{{ message }}'] },
    { message: 'user 2', fingerprint: ['{{ message }}'] },
  ),
  pair(
    '{{ raw_message }} is not',
    false,
    { message: 'user 1', fingerprint: ['{{ raw_message }}'] },
    { message: 'user 2', fingerprint: ['{{ raw_message }}'] },
  ),
  pair(
    '{{ error.value }} is not parameterised',
    false,
    printed(['{{ error.value }}'], one, { value: 'user 1' }),
    printed(['{{ error.value }}'], one, { value: 'user 2' }),
  ),
  pair(
    'without a message {{ message }} is the value',
    true,
    printed(['{{ message }}'], one, { value: 'user 1' }),
    printed(['user <int>'], two),
  ),
  pair(
    'a fingerprint that repeats the message is parameterised',
    true,
    { message: 'user 1', fingerprint: ['user 1'] },
    { message: 'user 2', fingerprint: ['user 2'] },
  ),
  pair(
    'a fingerprint that repeats the value is parameterised',
    true,
    printed(['row 1'], one, { value: 'row 1' }),
    printed(['row 2'], one, { value: 'row 2' }),
  ),
  pair('another text is not parameterised', false, printed(['user 1']), printed(['user 2'])),
  absent('error.type', '<no-type>'),
  absent('error.value', '<no-value>'),
  absent('transaction', '<no-transaction>'),
  absent('logger', '<no-logger>'),
  absent('function', '<no-function>'),
  absent('module', '<no-module>'),
  absent('package', '<no-package>'),
  absent('stack.abs_path', '<no-abs-path>'),
  absent('stack.filename', '<no-filename>'),
  absent('tags.shop', '<no-value-for-tag-shop>'),
  pair(
    'a checksum decides',
    true,
    crash('python', one, {}, { checksum: hash }),
    crash('python', two, { type: 'A' }, { checksum: hash }),
  ),
  pair(
    'another checksum is another issue',
    false,
    crash('python', one, {}, { checksum: hash }),
    crash('python', one, {}, { checksum: hash.replace('0', '1') }),
  ),
  pair(
    'any text is a checksum',
    true,
    crash('python', one, {}, { checksum: 'pay' }),
    crash('python', two, {}, { checksum: 'pay' }),
  ),
  pair(
    'a checksum takes precedence over a fingerprint',
    true,
    printed(['a'], one, {}, { checksum: hash }),
    printed(['b'], two, {}, { checksum: hash }),
  ),
  pair('a checksum is not a fingerprint', false, crash('python', one, {}, { checksum: 'pay' }), printed(['pay'], one)),
]
