import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { nodeSkillFiles } from '@modelcontextprotocol/server/ext/skills/node'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { skillDocuments } from '../../src/mcp/skills/documents.ts'
import { createListing } from '../../src/mcp/surface/listing.ts'
import { promptText } from '../../src/mcp/surface/prompt-text.ts'
import { surface } from '../../src/surface.ts'
import { temporaryFolder } from '../cli/run.ts'

const everything = { toolsets: ['all'], readOnly: false, local: true }
const documents = (options: Partial<typeof everything> = {}) =>
  skillDocuments(createListing(surface, { ...everything, ...options }))

test('there is a skill for each prompt, and one about data of errors', () => {
  expect(documents().map(({ name }) => name)).toEqual([
    ...surface.prompts.map(({ name }) => name.replaceAll('_', '-')),
    'error-data-safety',
  ])
})

test('a skill has the very steps of its prompt', () => {
  for (const prompt of surface.prompts) {
    const text = documents().find(({ name }) => name === prompt.name.replaceAll('_', '-'))?.text ?? ''
    const asked = promptText(
      prompt,
      Object.fromEntries(Object.keys(prompt.args).map((name) => [name, 'x'])),
      () => true,
    )
    expect(text.split('\n').filter((line) => /^\d+\. /.test(line))).toEqual(
      asked.split('\n').filter((line) => /^\d+\. /.test(line)),
    )
  }
})

test('names and descriptions of all skills fit into the lists that clients cut', () => {
  const listed = documents().map(({ name, description }) => name + description)
  expect(listed.join('').length).toBeLessThan(1500)
  expect(listed.filter((each) => !/Use (?:when|before) /.test(each))).toEqual([])
})

test('the steps of a skill are short enough to be kept in mind whole', () => {
  const workflows = documents().filter(({ name }) => name !== 'error-data-safety')
  expect(workflows.filter(({ text }) => text.length >= 2200).map(({ name }) => name)).toEqual([])
})

test('front matter is YAML that says the same as the list', () => {
  for (const { name, description, text } of documents()) {
    expect(parse(text.split('---\n')[1] ?? '')).toEqual({ name, description })
  }
})

test('where the tools of a prompt are not offered there is no skill, and none names a tool that is not', () => {
  const readOnly = documents({ toolsets: ['default'], readOnly: true })
  expect(readOnly.map(({ name }) => name)).not.toContain('plan-change')
  expect(readOnly.map(({ text }) => text).join('\n')).not.toMatch(/set_error_issue_status|ingest_test_report/)
})

test('as files they are a catalogue that the SDK accepts', async () => {
  using folder = temporaryFolder()
  for (const { name, text } of documents()) {
    mkdirSync(join(folder.path, name))
    writeFileSync(join(folder.path, name, 'SKILL.md'), text)
  }
  const { entries } = await SkillsExtension.load(nodeSkillFiles(folder.path), { strict: true })
  expect(entries).toHaveLength(documents().length)
})
