import { expect, test } from 'vitest'
import { listingOf } from '../../../src/mcp/listing.ts'
import { surface } from '../../../src/surface.ts'
import { defaults } from '../clients.ts'
import { bm25 } from './bm25.ts'
import { distractors } from './distractors.ts'

/** What users and agents say when they want a tool, by tool. */
const phrasings: Readonly<Record<string, readonly string[]>> = {
  get_workspace_context: [
    'which products and environments are there',
    'list my workspaces and products',
    'who am I logged in as',
    'what releases do we have',
    'look up the id of a component',
    'show the environments of the product',
    'which components does the product have',
    'find the product id by name',
    'what is my workspace called',
    'list releases and components with ids',
    'start: get context about my workspace',
    'I do not know the name of the environment',
    'which product am I connected to',
    'list environments',
    'show me the available releases of this product',
  ],
  find_error_issues: [
    'what crashed in production today',
    'show me the newest exceptions',
    'find production errors',
    'which bugs happen most frequently',
    'errors that first appeared in the last release',
    'what did the release break',
    'triage the crashes',
    'list unresolved errors of the checkout component',
    'most frequent exceptions this week',
    'any fatal crash in staging',
    'search for errors in the production environment',
    'error issues by severity level',
    'TypeError exceptions grouped',
    'what broke after the deploy of version 1.4.0',
    'show crashes sorted by how often they happen',
  ],
  get_error_issue: [
    'show me the stack trace of SHOP-31',
    'details of this error issue',
    'how often does this crash occur',
    'when was the error first seen',
    'in which environment does this exception happen',
    'inspect one error issue',
    'message and stack trace of the latest occurrence',
    'look at another occurrence of the crash',
    'status and counts of an error issue',
    'first and last seen of the issue',
    'show the exception SHOP-7 in detail',
    'what does the stack trace of the error say',
    'open the error with this id',
    'how often and when does the bug occur',
    'latest event of the error issue',
  ],
  get_fix_context: [
    'fix the bug SHOP-31',
    'debug this production exception',
    'which files cause the error',
    'what do I need to fix this crash',
    'find the cause of the exception in the repository',
    'help me fix the production error',
    'which requirement does the broken code implement and is it tested',
    'debug the crash in one call',
    'repository files and frames of the error',
    'fix SHOP-7 in the code',
    'test coverage of the files that crash',
    'context to fix an error issue',
    'why does this production error happen, debug it',
    'everything needed to fix the exception',
    'which source files are behind this stack',
  ],
  upload_source_map: [
    'upload source maps',
    'the stack frames are minified',
    'send the source map of this release',
    'symbolicate the minified stack frames',
    'upload the build folder with the maps',
    'show original code instead of minified code in the stack',
    'upload a .map file for the release',
    'unminify the frames of the error',
    'source map for release 1.4.0',
    'add the missing source maps of the build',
    'upload the minified file and its map',
    'original source code for the frames',
  ],
  set_error_issue_status: [
    'mark SHOP-31 as resolved',
    'mute this error',
    'ignore these error issues',
    'reopen the error issue',
    'resolve the error, the fix is merged',
    'mark the crash as fixed',
    'bulk resolve error issues',
    'set the issue to ignored',
    'unresolve SHOP-4',
    'mute noisy errors in bulk',
    'change the status of an error issue',
    'close the error issue because the fix is merged',
    'ignore the exception SHOP-9',
    'mark five errors as resolved',
    'set error status to unresolved',
  ],
}

test('what users say finds the right tool among other servers’ tools, in the first three for nine of ten', () => {
  const ours = listingOf(surface, { ...defaults, toolsets: ['all'], local: true }).tools
  const documents = [...ours.map(({ tool, description }) => ({ name: tool.name, description })), ...distractors]
  const search = bm25(documents.map(({ name, description }) => ({ name, text: `${name} ${description}` })))
  const asked = Object.entries(phrasings).flatMap(([tool, said]) => said.map((phrase) => ({ tool, phrase })))
  const places = asked.map(({ tool, phrase }) => ({ phrase, tool, place: search(phrase).indexOf(tool) }))
  const within = (count: number) => places.filter(({ place }) => place >= 0 && place < count).length / places.length
  const percent = (share: number) => `${String(Math.round(share * 1000) / 10)} %`
  console.log(
    `tool retrieval: ${String(asked.length)} phrasings, ${String(documents.length)} tools; ` +
      `first ${percent(within(1))}, first three ${percent(within(3))}`,
  )
  const missed = places.filter(({ place }) => place < 0 || place > 2)
  expect(missed.length <= asked.length / 10 ? [] : missed).toEqual([])
})

test('every tool of the list has phrasings that should find it', () => {
  const silent = surface.tools.filter(({ name }) => (phrasings[name] ?? []).length < 10)
  expect(silent.map(({ name }) => name)).toEqual([])
  expect(distractors.length).toBeGreaterThanOrEqual(60)
})
