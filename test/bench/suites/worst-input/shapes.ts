const BYTES = 1_000_000

/** Events of at most 1 MB, as JSON, that are expensive in different places. */
export function worstEvents(): Record<string, string> {
  const frame = (index: number) => ({
    function: `f${index}`,
    filename: `src/a${index}.ts`,
    lineno: index,
    in_app: true,
  })
  const error = (frames: object[], value = 'v') => ({ type: 'T', value, stacktrace: { frames } })
  const shapes: Record<string, unknown> = {
    '30 exceptions × 250 frames': exceptions(times(30, (at) => error(times(250, (index) => frame(at * 250 + index))))),
    'one stack of 12,000 frames': exceptions([error(times(12_000, frame))]),
    '15 function names of 64 KB': exceptions([error(times(15, (at) => ({ function: `${'f<'.repeat(32_000)}${at}` })))]),
    '250 frames with 3 KB of source': exceptions([
      error(times(250, (at) => ({ ...frame(at), context_line: 'x'.repeat(1_000), pre_context: ['y'.repeat(2_000)] }))),
    ]),
    '250 frames with variables': exceptions([
      error(times(250, (at) => ({ ...frame(at), vars: Object.fromEntries(times(200, (n) => [`v${n}`, 'a value'])) }))),
    ]),
    '50,000 tags': { tags: Object.fromEntries(times(50_000, (at) => [`key${at}`, 'value'])) },
    '50,000 breadcrumbs': { breadcrumbs: { values: times(50_000, (at) => ({ message: `m${at}` })) } },
    'one message of 1 MB': { message: '/a1 '.repeat(BYTES / 4 - 100) },
    'a message of many ids': { message: times(25_000, (at) => `${at}-4b1e-11ee-be56-0242ac120002`).join(' ') },
    '65,000 members': { extra: Object.fromEntries(times(65_000, (at) => [`k${at}`, at])) },
    '2,000 contexts': { contexts: Object.fromEntries(times(2_000, (at) => [`c${at}`, { a: 'b'.repeat(400) }])) },
    '400 threads of 20 frames': {
      threads: { values: times(400, (id) => ({ id, stacktrace: { frames: times(20, frame) } })) },
    },
  }
  const made = Object.entries(shapes).map(([name, event]) => [name, JSON.stringify(event)])
  const deep = `{"extra":{"a":${'['.repeat(BYTES / 2 - 20)}${']'.repeat(BYTES / 2 - 20)}}}`
  return { ...Object.fromEntries(made), 'nesting of 500,000 levels': deep }
}

function exceptions(values: object[]): object {
  return { exception: { values } }
}

export interface WorstReport {
  type: string
  content: string
}

/** Reports of 1 MB. */
export function worstReports(): Record<string, WorstReport> {
  const xml = (content: string) => ({ type: 'application/xml', content })
  const text = (content: string) => ({ type: 'text/plain', content })
  const json = (content: unknown) => ({ type: 'application/json', content: JSON.stringify(content) })
  const depth = 20_000
  const trx = (at: number) =>
    `<UnitTestResult testId="${at}" testName="Shop.Cart.case${at}" outcome="Passed" duration="00:00:00.01"/>`
  return {
    'JUnit, 20,000 tiny cases': xml(
      `<testsuite name="s">${times(20_000, (at) => `<testcase name="c ${at}" classname="s"/>`).join('\n')}</testsuite>`,
    ),
    'JUnit, one output of 1 MB': xml(
      `<testsuite name="s"><testcase name="c" classname="s"><failure>${'line of a trace\n'.repeat(62_000)}</failure></testcase></testsuite>`,
    ),
    'JUnit, 20,000 levels': xml(
      `${'<testsuite name="s">'.repeat(depth)}<testcase name="c"/>${'</testsuite>'.repeat(depth)}`,
    ),
    'TAP, 60,000 lines': text(`TAP version 13\n1..60000\n${times(60_000, (at) => `ok ${at + 1} - c${at}`).join('\n')}`),
    'TRX, 9,000 results': xml(
      `<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>${times(9_000, trx).join('')}</Results></TestRun>`,
    ),
    'go test -json, 8,000 tests': text(
      times(
        8_000,
        (at) =>
          `{"Action":"run","Package":"shop","Test":"Test${at}"}\n{"Action":"pass","Package":"shop","Test":"Test${at}","Elapsed":0.1}`,
      ).join('\n'),
    ),
    'Playwright, 6,000 specs': json({
      config: {},
      suites: [
        {
          title: 'a.spec.ts',
          file: 'a.spec.ts',
          specs: times(6_000, (at) => ({
            title: `case ${at}`,
            ok: true,
            file: 'a.spec.ts',
            line: at,
            tests: [{ projectName: '', status: 'expected', results: [{ status: 'passed', duration: 1, retry: 0 }] }],
          })),
        },
      ],
    }),
    'CTRF, 14,000 tests': json({
      reportFormat: 'CTRF',
      specVersion: '0.0.0',
      results: {
        tool: { name: 'jest' },
        summary: {},
        tests: times(14_000, (at) => ({ name: `case ${at}`, status: 'passed', duration: 1, suite: 's' })),
      },
    }),
    'cases of the contract, 8,000': json({
      draft: {
        cases: times(8_000, (at) => ({
          file_path: 'src/a.test.ts',
          suite_path: ['s'],
          name: `case ${at}`,
          status: 'RESULT_STATUS_PASSED',
        })),
      },
    }),
  }
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
