import { expect, test } from 'vitest'
import { read, uses } from './reading.ts'

const FEATURE = `@shop @REQ-3
Feature: Cart
  What customers want to buy.

  Background:
    Given a customer

  @smoke
  Scenario: Empty cart
    Given no items
    When the cart opens
    Then it says "empty"
    And a link leads to the shop

  Rule: Limits
    Background:
      Given a cart with a limit

    @REQ-12
    Scenario Outline: Adding <count> items
      When <count> items are added
      Then the cart <answer>

      @fast
      Examples: Small
        | count | answer |
        | 1     | takes  |
        | 2     | takes  |

      @slow @req-14
      Examples:
        | count | answer  |
        | 100   | refuses |
`

test('a scenario is one requirement, and an outline has a criterion for each table of examples', async () => {
  const reading = await read(FEATURE, 'text/x-gherkin')
  expect(
    reading.candidates.map(({ title, statement, criteria, tags, keys, headings }) => ({
      title,
      statement,
      criteria: criteria.map((one) => `${one.text} | ${one.given} | ${one.when} | ${one.then}`),
      tags,
      keys,
      headings,
    })),
  ).toMatchInlineSnapshot(`
    [
      {
        "criteria": [
          " | a customer; no items | the cart opens | it says "empty"; a link leads to the shop",
        ],
        "headings": [
          "Cart",
        ],
        "keys": [
          "REQ-3",
        ],
        "statement": "Given no items, when the cart opens, then it says "empty"; a link leads to the shop.",
        "tags": [
          "shop",
          "smoke",
        ],
        "title": "Empty cart",
      },
      {
        "criteria": [
          "Small (count, answer): 1, takes; 2, takes | a customer; a cart with a limit | <count> items are added | the cart <answer>",
          "Examples (count, answer): 100, refuses | a customer; a cart with a limit | <count> items are added | the cart <answer>",
        ],
        "headings": [
          "Cart",
          "Limits",
        ],
        "keys": [
          "REQ-3",
          "REQ-12",
          "REQ-14",
        ],
        "statement": "When <count> items are added, then the cart <answer>.",
        "tags": [
          "shop",
          "fast",
          "slow",
        ],
        "title": "Adding <count> items",
      },
    ]
  `)
  expect(uses(reading)).toMatchInlineSnapshot(`
    [
      "1: context",
      "2: context",
      "3: context",
      "5: context",
      "6: context",
      "8: proposal 1",
      "9: proposal 1",
      "10: criterion 1",
      "11: criterion 1",
      "12: criterion 1",
      "13: criterion 1",
      "15: context",
      "16: context",
      "17: context",
      "19: proposal 2",
      "20: proposal 2",
      "21: criterion 2",
      "22: criterion 2",
      "24: criterion 2",
      "25: criterion 2",
      "26: criterion 2",
      "27: criterion 2",
      "28: criterion 2",
      "30: criterion 2",
      "31: criterion 2",
      "32: criterion 2",
      "33: criterion 2",
    ]
  `)
})

test('a mistake costs one scenario, and says its line', async () => {
  const reading = await read(
    `Feature: Cart
  Scenario: First
    Given a
    nonsense
    Then b

  Scenario: Second
    When a table
      | a | b |
      | c |

  Scenario: Third
    When c
    Then d
`,
    'text/x-gherkin',
  )
  expect(reading.candidates.map(({ title }) => title)).toEqual(['Third'])
  expect(
    reading.lines
      .filter(({ use }) => use === 'skipped')
      .map(({ lineStart, lineEnd, reason }) => [lineStart, lineEnd, reason]),
  ).toEqual([
    [2, 5, 'GHERKIN_SYNTAX (line 4: the line is no step, tag, table row or keyword)'],
    [7, 10, 'GHERKIN_SYNTAX (line 10: the rows of the table have different numbers of cells)'],
  ])
})

test('text that is no feature is skipped with the reason', async () => {
  const prose = await read('The system must save.\n', 'text/x-gherkin')
  expect(uses(prose)).toEqual(['1: skipped GHERKIN_SYNTAX (line 1: the line is no step, tag, table row or keyword)'])
  const language = await read('# language: xx\nFeature: A\n', 'text/x-gherkin')
  expect(uses(language)[0]).toBe(
    '1: skipped GHERKIN_SYNTAX (line 1: Gherkin has no keywords in the language that is named)',
  )
})

test('features in other languages and scenarios in Markdown are read', async () => {
  const german = await read(
    '# language: de\nFunktionalität: Korb\n  Szenario: Leer\n    Wenn er leer ist\n    Dann steht das da\n',
    'text/x-gherkin',
  )
  expect(german.candidates[0]?.title).toBe('Leer')
  expect(german.candidates[0]?.criteria.map((one) => [one.when, one.then])).toEqual([['er leer ist', 'steht das da']])
  const markdown = await read(
    '# Cart\n\nThe cart must open.\n\n```gherkin\nScenario: Open\n  When I open it\n  Then it opens\n```\n',
  )
  expect(markdown.candidates.map(({ title, headings, source }) => [title, headings, source.lineStart])).toEqual([
    ['The cart must open', ['Cart'], 3],
    ['Open', ['Cart'], 6],
  ])
  expect(uses(markdown).slice(2)).toEqual([
    '5: context',
    '6: proposal 2',
    '7: criterion 2',
    '8: criterion 2',
    '9: context',
  ])
})

test('a keyword inside a doc string starts no scenario', async () => {
  const { candidates } = await read(
    'Feature: A\n  Scenario: One\n    Given a text\n      """\n      Scenario: Two\n      """\n    Then three\n',
    'text/x-gherkin',
  )
  expect(candidates.map(({ title }) => title)).toEqual(['One'])
  expect(candidates[0]?.criteria[0]?.given).toBe('a text """Scenario: Two"""')
})

test('the source of a scenario is all of its lines', async () => {
  const { candidates } = await read(
    'Feature: Pay\n  Scenario: Card\n    When it is charged\n    Then it is paid\n',
    'text/x-gherkin',
  )
  expect(candidates.map(({ source }) => [source.lineStart, source.lineEnd])).toEqual([[2, 4]])
})
