import { AstBuilder, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin'
import { type Feature, IdGenerator, type Rule, type Scenario, type Step, StepKeywordType } from '@cucumber/messages'
import { requirementMembers, type Imported, sourceIn } from './imported.ts'

type Tags = Scenario['tags']

/**
 * Reads the requirements of a Gherkin document: the feature and its rules are groups, and each scenario is a
 * requirement with its steps as the criterion. The first line of a description is the statement, the others are the
 * rationale. Tags such as `@priority:high` apply to everything below them. Throws for parts that it does not support.
 */
export function readFeature(document: string, uri: string): Imported[] {
  const parser = new Parser(new AstBuilder(IdGenerator.incrementing()), new GherkinClassicTokenMatcher())
  const { feature } = parser.parse(document)
  if (!feature) throw new Error(`${uri} has no feature`)
  const quoteSource = sourceIn(document, uri)

  function toGroup(node: Feature | Rule, group: number, tags: Tags): Imported {
    const { statement, rationale, lines } = said(node.description)
    return {
      group,
      ...requirementMembers(factsIn(tags)),
      kind: 'REQUIREMENT_KIND_GROUP',
      title: node.name,
      statement,
      rationale,
      acceptance_criteria: [],
      source: quoteSource(node.location.line, node.location.line + lines),
    }
  }

  function toRequirement(scenario: Scenario, group: number, tags: Tags): Imported {
    const { steps, location, name, description } = scenario
    const last = steps.at(-1)
    if (scenario.examples.length > 0 || !last) throw new Error(`${uri}:${String(location.line)} cannot be read`)
    const { statement, rationale } = said(description)
    return {
      group,
      ...requirementMembers(factsIn([...tags, ...scenario.tags])),
      title: name,
      statement,
      rationale,
      acceptance_criteria: [{ kind: 'CRITERION_KIND_GIVEN_WHEN_THEN', ...toCriterion(steps) }],
      source: quoteSource(location.line, last.location.line),
    }
  }

  const list = [toGroup(feature, -1, feature.tags)]
  for (const { rule, scenario, background } of feature.children) {
    if (background) throw new Error(`${uri}:${String(background.location.line)} has a background`)
    if (scenario) list.push(toRequirement(scenario, 0, feature.tags))
    if (!rule) continue
    const tags = [...feature.tags, ...rule.tags]
    const group = list.push(toGroup(rule, 0, tags)) - 1
    for (const child of rule.children) if (child.scenario) list.push(toRequirement(child.scenario, group, tags))
  }
  return list
}

function said(description: string) {
  const lines = description
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const [statement = '', ...others] = lines
  return { statement, rationale: others.join(' '), lines: lines.length }
}

function factsIn(tags: Tags): [string, string][] {
  return tags.map(({ name }) => {
    const colon = name.indexOf(':')
    return [name.slice(1, colon), name.slice(colon + 1)]
  })
}

function toCriterion(steps: readonly Step[]) {
  const texts = new Map<StepKeywordType, string[]>()
  let type = StepKeywordType.CONTEXT
  for (const { keywordType = StepKeywordType.CONJUNCTION, text } of steps) {
    if (keywordType !== StepKeywordType.CONJUNCTION) type = keywordType
    texts.set(type, [...(texts.get(type) ?? []), text])
  }
  const joined = (wanted: StepKeywordType) => (texts.get(wanted) ?? []).join(' and ')
  const [given, when] = [joined(StepKeywordType.CONTEXT), joined(StepKeywordType.ACTION)]
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { given, when, then: joined(StepKeywordType.OUTCOME) }
}
