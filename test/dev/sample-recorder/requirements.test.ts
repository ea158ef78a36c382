import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { lintWording } from '../../../src/service/quality/requirements/lint.ts'
import { sampleComponents } from '../../../src/service/sample/product.ts'
import { readFeature } from '../../../src/dev/sample-recorder/quality/feature.ts'
import { readPromises } from '../../../src/dev/sample-recorder/quality/promises.ts'
import { importRequirements } from '../../../src/dev/sample-recorder/quality/requirements.ts'
import { readRequirements, type SampleRequirement } from '../../../src/service/sample/requirements.ts'

const documents = new URL('../../../src/dev/sample-recorder/documents/', import.meta.url)
const shop = fileURLToPath(new URL('../../../src/dev/sample-recorder/shop/', import.meta.url))

const requirements = await readRequirements()
const isGroup = ({ kind }: SampleRequirement) => kind === 'REQUIREMENT_KIND_GROUP'

const slug = (name: string) => name.toLowerCase().replaceAll(' ', '-')

/** Wording findings of a requirement as it is posted. */
const findings = ({ title, statement, acceptance_criteria: criteria }: SampleRequirement) =>
  lintWording(
    title,
    statement,
    criteria.map(({ kind, text = '', given = '', when = '', ...others }, position) => {
      // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
      return { id: '', position, kind, text, given, when, then: others.then ?? '' }
    }),
  )

describe('the requirements of the sample', () => {
  test('are what the documents say; if not, run record-quality.ts', async () => {
    expect(requirements).toEqual(await importRequirements())
  })

  test('are a tree of groups, with keys in their order', () => {
    expect(requirements.map(({ key }) => key)).toEqual(requirements.map((_each, index) => `REQ-${String(index + 1)}`))
    const groups = new Map(requirements.filter(isGroup).map((group) => [group.key, group]))
    for (const { key, parent } of requirements) expect(groups.has(parent === '' ? key : parent)).toBe(true)
    expect(groups.size).toBe(9)
    expect(requirements.length - groups.size).toBe(26)
  })

  test('quote the lines that they come from', async () => {
    for (const { key, title, statement, source } of requirements) {
      const text = await readFile(new URL(source.uri.replace(/^docs\//, ''), documents), 'utf8')
      const lines = text.split('\n').slice(source.line_start - 1, source.line_end)
      const unindented = (line: string) => line.trimStart()
      expect({ key, quote: source.quote.split('\n').map(unindented) }).toEqual({ key, quote: lines.map(unindented) })
      expect(source.quote).toContain(title)
      expect(source.quote).toContain(statement)
    }
  })

  test('name files that the shop has, and components of the product', () => {
    const slugs = ['', ...sampleComponents.map(({ name }) => slug(name))]
    for (const { key, code_refs: refs, component } of requirements) {
      for (const { path } of refs) {
        expect(globSync(path.replace(/^src\//, ''), { cwd: shop }), `${key} ${path}`).not.toHaveLength(0)
      }
      expect(slugs).toContain(component)
    }
  })

  test('can be tested as they are worded, but for the draft', () => {
    const worded = requirements.filter((one) => !isGroup(one) && findings(one).length > 0)
    expect(worded.map(({ key, status }) => `${key} ${status}`)).toEqual(['REQ-23 REQUIREMENT_STATUS_DRAFT'])
  })

  test('have at least one criterion each', () => {
    const keys = (list: readonly SampleRequirement[]) => list.map(({ key }) => key)
    expect(keys(requirements.filter((one) => one.acceptance_criteria.length === 0))).toEqual(
      keys(requirements.filter(isGroup)),
    )
  })
})

describe('the importer', () => {
  const feature = (scenario: string) => `Feature: Tea\n\n  Scenario: Brew\n${scenario}`

  test('adds "And" to the previous step, and tags of a rule to its scenarios', () => {
    const document = [
      '@priority:high',
      'Feature: Tea',
      '  @component:kitchen @code:src/pot.ts',
      '  Rule: Brewing',
      '    @priority:low @code:src/kettle/**',
      '    Scenario: Green tea',
      '      The kettle shall stop at 80 degrees.',
      '      Hotter water makes it bitter.',
      '',
      '      Given a kettle',
      '      And cold water',
      '      When it boils',
      '      Then it stops',
      '      But not before 79 degrees',
    ].join('\n')
    expect(readFeature(document, 'docs/tea.feature').at(-1)).toEqual({
      group: 1,
      component: 'kitchen',
      kind: 'REQUIREMENT_KIND_FUNCTIONAL',
      status: 'REQUIREMENT_STATUS_APPROVED',
      title: 'Green tea',
      statement: 'The kettle shall stop at 80 degrees.',
      rationale: 'Hotter water makes it bitter.',
      priority: 'PRIORITY_LOW',
      risk: 'RISK_LEVEL_MEDIUM',
      acceptance_criteria: [
        {
          kind: 'CRITERION_KIND_GIVEN_WHEN_THEN',
          given: 'a kettle and cold water',
          when: 'it boils',
          // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
          then: 'it stops and not before 79 degrees',
        },
      ],
      code_refs: [{ path: 'src/pot.ts' }, { path: 'src/kettle/**' }],
      source: {
        kind: 'REQUIREMENT_SOURCE_IMPORT',
        uri: 'docs/tea.feature',
        line_start: 6,
        line_end: 14,
        quote: document
          .split('\n')
          .slice(5)
          .map((line) => line.slice(4))
          .join('\n'),
      },
    })
  })

  test.each([
    ['a scenario without steps', feature(''), 'docs/tea.feature:3 cannot be read'],
    [
      'an outline',
      feature('    Given <n>\n    Examples:\n      | n |\n      | 1 |'),
      'docs/tea.feature:3 cannot be read',
    ],
    ['a background', 'Feature: Tea\n  Background:\n    Given a pot', 'docs/tea.feature:2 has a background'],
    ['nothing', '', 'docs/tea.feature has no feature'],
    ['a tag of another kind', `@someday\n${feature('    Given a pot')}`, 'Invalid option'],
  ])('refuses a feature with %s', (_what, document, problem) => {
    expect(() => readFeature(document, 'docs/tea.feature')).toThrow(problem)
  })

  test.each([
    ['a paragraph that is none of its parts', '## Tea\n\n**Hot.** Tea shall be hot.\n\nOr so.', ':5 is no part'],
    ['criteria of nothing', '## Tea\n\n- It is hot.', ':3 belongs to no requirement'],
    ['an unknown fact', '## Tea\n\n**Hot.** Tea shall be hot.\n\nFacts: colour green.', 'Invalid option'],
  ])('refuses prose with %s', (_what, document, problem) => {
    expect(() => readPromises(document, 'docs/tea.md')).toThrow(problem)
  })
})
