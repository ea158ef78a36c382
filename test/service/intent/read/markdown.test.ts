import { expect, test } from 'vitest'
import { read, uses } from './reading.ts'

const REQUEST = `---
title: Checkout
---
# Checkout changes

Hi all, thanks for joining. I think we should discuss the timeout.

**Ana:** We need to raise the payment timeout from 30 to 60 s.
**Ben:** Can we do that?
**Ana:** Decision: the cart must keep items for 30 days, and it must warn before it drops them.

## Requirements

1. **FR-001**: System MUST send a receipt
   within 5 seconds.
2. System MUST validate the address and store it.
3. Add a dark mode.
4. ~~Support XML export.~~
5. REQ-4 is no longer needed.

The export must contain:

- the order number
- the total (v1.2, e.g. 12.50 EUR)
- Each line must end with LF.

\`\`\`js
must()
\`\`\`

| a | must |
|---|------|

> The system must be quoted.

[a]: https://example.com

## Out of scope

- The app must support fax.
`

test('the requirements of a change request come out with their lines', async () => {
  const { candidates } = await read(REQUEST)
  expect(
    candidates.map(({ statement, source, pattern, confidence }) => [
      source.lineStart,
      source.lineEnd,
      pattern.slice('PATTERN_'.length),
      confidence,
      statement,
    ]),
  ).toMatchInlineSnapshot(`
    [
      [
        8,
        8,
        "RFC2119",
        0.7,
        "We need to raise the payment timeout from 30 to 60 s.",
      ],
      [
        10,
        10,
        "RFC2119",
        0.85,
        "The cart must keep items for 30 days.",
      ],
      [
        10,
        10,
        "RFC2119",
        0.85,
        "The cart must warn before it drops them.",
      ],
      [
        14,
        15,
        "RFC2119",
        0.85,
        "System MUST send a receipt within 5 seconds.",
      ],
      [
        16,
        16,
        "RFC2119",
        0.85,
        "System MUST validate the address.",
      ],
      [
        16,
        16,
        "RFC2119",
        0.85,
        "System MUST store it.",
      ],
      [
        17,
        17,
        "IMPERATIVE",
        0.55,
        "Add a dark mode.",
      ],
      [
        19,
        19,
        "IMPERATIVE",
        0.55,
        "REQ-4 is no longer needed.",
      ],
      [
        21,
        21,
        "RFC2119",
        0.7,
        "The export must contain:",
      ],
      [
        25,
        25,
        "RFC2119",
        0.7,
        "Each line must end with LF.",
      ],
    ]
  `)
})

test('every line of it says what became of it', async () => {
  expect(uses(await read(REQUEST))).toMatchInlineSnapshot(`
    [
      "1: skipped FRONT_MATTER",
      "2: skipped FRONT_MATTER",
      "3: skipped FRONT_MATTER",
      "4: context",
      "6: context",
      "8: proposal 1",
      "9: context",
      "10: proposal 2",
      "12: context",
      "14: proposal 4",
      "15: proposal 4",
      "16: proposal 5",
      "17: proposal 7",
      "18: skipped STRUCK_OUT",
      "19: proposal 8",
      "21: proposal 9",
      "23: criterion 9",
      "24: criterion 9",
      "25: proposal 10",
      "27: skipped CODE",
      "28: skipped CODE",
      "29: skipped CODE",
      "31: skipped TABLE",
      "32: skipped TABLE",
      "34: skipped QUOTE",
      "36: skipped LINK_DEFINITION",
      "38: context",
      "40: context",
    ]
  `)
})

test('a quote is the source itself, also where the statement has no markup', async () => {
  const { candidates } = await read(
    '# A\n\n- The **cart** must [keep](https://example.com/keep) `items`\n  for 30 days. More.',
  )
  expect(candidates[0]?.statement).toBe('The cart must keep `items` for 30 days.')
  expect(candidates[0]?.source.quote).toBe('The **cart** must [keep](https://example.com/keep) `items`\nfor 30 days.')
})

test('items below a demand that ends with a colon are its criteria, unless they demand something themselves', async () => {
  const { candidates } = await read(REQUEST)
  const contains = candidates.find(({ statement }) => statement.startsWith('The export must contain'))
  expect(contains?.criteria.map(({ text }) => text)).toEqual(['the order number', 'the total (v1.2, e.g. 12.50 EUR)'])
  expect(candidates.map(({ statement }) => statement)).toContain('Each line must end with LF.')
})

test('a user story takes its acceptance criteria from a list or a section below it', async () => {
  const story = 'As a shop owner, I want to export orders, so that I can file taxes.'
  const list = await read(
    `## Export\n\n${story}\n\n**Acceptance criteria**\n\n- WHEN I export, the app SHALL make a file.\n- A row per order\n`,
  )
  const section = await read(
    `## Story 1\n\n**User Story:** ${story}\n\n### Acceptance Criteria\n\n1. WHEN I export, the app SHALL make a file.\n2. A row per order\n`,
  )
  for (const { candidates } of [list, section]) {
    expect(candidates).toHaveLength(1)
    expect(candidates[0]).toMatchObject({ title: 'Export orders', statement: story, pattern: 'PATTERN_USER_STORY' })
    expect(candidates[0]?.criteria.map(({ text }) => text)).toEqual([
      'WHEN I export, the app SHALL make a file.',
      'A row per order',
    ])
  }
})

test('bullets of Given, When and Then are one criterion of the requirement before them', async () => {
  const { candidates } = await read(
    '### Requirement: Login\n\nThe system SHALL issue a token.\n\n#### Scenario: Valid\n\n- **GIVEN** a user\n- **WHEN** the password is right\n- **THEN** a token is issued\n- **AND** it expires\n',
  )
  expect(candidates).toHaveLength(1)
  expect(candidates[0]?.criteria.map((one) => [one.text, one.given, one.when, one.then])).toEqual([
    ['Valid', 'a user', 'the password is right', 'a token is issued; it expires'],
  ])
})

test('two sections with the same heading are both read', async () => {
  const section = (name: string) => `## Export\n\nThe ${name} export must be complete.\n\n`
  const { candidates } = await read(section('first') + section('second'))
  expect(candidates.map(({ statement, headings }) => [statement, headings])).toEqual([
    ['The first export must be complete.', ['Export']],
    ['The second export must be complete.', ['Export']],
  ])
})

test('limits cut nothing silently', async () => {
  const content = '- The app must save.\n- The app must load.\n- The app must print.\n- Add export\n'
  const reading = await read(content, 'text/markdown', { maxRequirements: 2, minConfidence: 0.6 })
  expect(uses(reading)).toEqual(['1: proposal 1', '2: proposal 2', '3: skipped LIMIT', '4: skipped LOW_CONFIDENCE'])
  expect(reading.cuts).toEqual([
    { what: 'requirements', kept: 2, total: 3 },
    { what: 'requirements of confidence 0.6 or more', kept: 3, total: 4 },
  ])
})
