import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { benchmarksDocument } from './document.ts'
import { goalCount, judgedGoals } from './goals.ts'
import { withHeadlines } from './headlines.ts'
import { judge } from './judge.ts'
import { inTurn, median, percentile } from './measure.ts'
import { documentFile, readResults } from './results.ts'
import { chosen, runSuites } from './run-suites.ts'
import type { Figure, Result, Suite, Table } from './suite.ts'
import { markdownTable, terminalTable } from './table.ts'

const table: Table = {
  title: 'Reads',
  figures: [
    { name: 'bare', unit: 'ms', values: [10, 40, 20] },
    {
      name: 'ours',
      unit: 'ms',
      values: [30, 40, 44],
      against: 'bare',
      headline: 'A read',
      goals: [
        { of: 'median', most: 40 },
        { of: 'ratio', most: 2 },
      ],
    },
  ],
  notes: ['Read a | b.'],
}
const result: Result = {
  about: 'Reads of the store.',
  measured: '2026-11-23',
  node: '24.0.0',
  cores: 2,
  load: 0.25,
  loop: 612.4,
  wake: 31.6,
  tables: [table],
}

test('BENCHMARKS.md is what results.json gives', () => {
  const text = readFileSync(documentFile, 'utf8')
  expect(text, 'run npm run bench -- --write SUITE').toBe(benchmarksDocument(readResults()))
})

describe('values', () => {
  test('of an even count have the upper middle value as their median', () => {
    expect(median([4, 1, 3, 2])).toBe(3)
    expect(percentile([5, 1, 4, 2, 3], 0.9)).toBe(5)
    expect(median([])).toBeNaN()
  })

  test('of contestants come from rounds in turn', async () => {
    const order: string[] = []
    const contestant = (name: string) => () => Promise.resolve(order.push(name))
    expect(await inTurn({ a: contestant('a'), b: contestant('b') }, 2)).toEqual({ a: [1, 3], b: [2, 4] })
    expect(order).toEqual(['a', 'b', 'a', 'b'])
  })
})

describe('judging', () => {
  const judged = (figure: Partial<Figure>) =>
    judge({ ...table, figures: [table.figures[0]!, { ...table.figures[1]!, ...figure }] })[1]!

  test('takes the median of the ratios of the rounds, not the ratio of the medians', () => {
    expect(judged({})).toMatchObject({ median: 40, ratio: 2.2, min: 30, max: 44 })
  })

  test('says which goals are missed', () => {
    expect(judged({}).missed).toEqual([{ of: 'ratio', most: 2 }])
    expect(judged({ goals: [{ of: 'median', least: 40, most: 40 }] }).missed).toEqual([])
    expect(judged({ goals: [{ of: 'median', least: 41 }] }).missed).toHaveLength(1)
  })

  test('does not take an unknown value for a reached goal', () => {
    expect(judged({ values: [Number.NaN] }).missed).toHaveLength(2)
    expect(judged({ against: undefined }).missed).toEqual([{ of: 'ratio', most: 2 }])
  })

  test('refuses a row that is compared with none, and one without values', () => {
    expect(() => judged({ against: 'gone' })).toThrow('"ours" is compared with "gone", which is not in the table')
    expect(() => judged({ values: [] })).toThrow('"ours" has no values')
  })
})

test('a table for a terminal has its numbers below one another', () => {
  expect(terminalTable(table)).toBe(
    [
      '  Reads',
      '          median  min – max       ratio            goal',
      '    bare   20 ms    10 – 40',
      '    ours   40 ms    30 – 44  2.2 × bare  ≤ 40 ms; ≤ 2 ×  missed',
      '    Read a | b.',
      '',
    ].join('\n'),
  )
})

test('a table for Markdown ends with its notes', () => {
  expect(markdownTable(table)).toBe(
    [
      '|  | median | min – max | ratio | goal |  |',
      '| --- | ---: | ---: | ---: | ---: | --- |',
      '| bare | 20 ms | 10 – 40 |  |  |  |',
      '| ours | 40 ms | 30 – 44 | 2.2 × bare | ≤ 40 ms; ≤ 2 × | missed |',
      '',
      'Read a | b.',
    ].join('\n'),
  )
})

describe('the document', () => {
  const text = benchmarksDocument({ reads: { ...result, onlyNamed: 'It takes four minutes.' } })

  test('begins with the goals, each reached or missed', () => {
    expect(goalCount(judgedGoals({ reads: result }))).toBe('1 of 2 goals reached')
    expect(text).toContain('## Goals\n\n1 of 2 goals reached.\n')
    expect(text).toContain('| reads: Reads, ours | 40 ms | ≤ 40 ms | reached |')
    expect(text).toContain('| reads: Reads, ours | 2.2 × bare | ≤ 2 × | missed |')
    expect(text.indexOf('## Goals')).toBeLessThan(text.indexOf('## reads'))
  })

  test('says how each suite is repeated, and on what it was measured', () => {
    expect(text).toContain(
      'Reads of the store. It takes four minutes. Repeat it with `npm run bench -- reads`. Measured 2026-11-23 with Node 24.0.0 on 2 cores, load 0.3 before; a hundred million additions took 612 ms, and a thread that was woken ran after 32 µs.',
    )
  })

  test('shows only figures with a headline in README.md', () => {
    const readme = (figures: string) => `## Measured\n\n<!-- measured -->\n${figures}<!-- end of measured -->\n`
    expect(withHeadlines(readme('- An old read: 7 ms\n'), { reads: result })).toBe(
      readme('\n- A read: 40 ms, 2.2 × bare\n\n'),
    )
  })
})

describe('running', () => {
  const works: Suite = { about: 'Works.', run: () => Promise.resolve([table]) }
  const slow: Suite = { ...works, onlyNamed: 'It takes four minutes.' }
  const throws: Suite = { about: 'Throws.', run: () => Promise.reject(new Error('no port')) }

  test('a suite that throws loses nothing of the others', async () => {
    const told: string[] = []
    const results = await runSuites(
      { first: works, throws, last: works },
      {
        begin: () => undefined,
        done: (name) => told.push(`${name} done`),
        failed: (name, error) => told.push(`${name}: ${String(error)}`),
      },
    )
    expect(told).toEqual(['first done', 'throws: Error: no port', 'last done'])
    expect(Object.keys(results)).toEqual(['first', 'last'])
  })

  test('a slow suite runs only when it is named', () => {
    expect(Object.keys(chosen({ works, slow }, []))).toEqual(['works'])
    expect(Object.keys(chosen({ works, slow }, ['slow']))).toEqual(['slow'])
    expect(() => chosen({ works }, ['slow', 'works'])).toThrow('no suite slow; the suites are works')
  })
})
