import * as z from 'zod'
import { definePrompt } from '../src/mcp/define/define.ts'
import { idText } from '../src/mcp/text/id-text.ts'
import { productNames } from '../src/mcp/surface/suggest.ts'

const steps = [
  'Call compute_quality_gate for the release. Say in one sentence whether it may ship.',
  'Name each failing blocking condition with its items, new ones first, and what the smallest change is that makes it pass.',
  'Name the exclusions that no person has reviewed, the issues that nothing vouches for, and risks that end soon.',
  'Offer to fix what is cheap: run a test, write a missing one, correct an error. Do what the user chooses, then compute again.',
  'If the user decides to ship with a failing condition, call accept_gate_risk with their reason in their words. Never propose a reason yourself.',
  'An accepted risk waits for a second person. Call approve_gate_risk and tell the user where that person decides.',
  'Say at the end what was decided by whom, until when, and what is still open.',
]

export const releaseCheck = definePrompt({
  name: 'release_check',
  title: 'Check a release',
  description:
    'Decide with the user whether a release may ship: the verdict, its causes, the path to green, and risks.',
  args: {
    product: z.string().optional().describe('Product id or name.'),
    release: z.string().optional().describe('Version or id of the release.'),
    environment: z.string().optional().describe('Only to judge errors and tests of this one alone.'),
  },
  suggest: { product: productNames },
  tools: ['compute_quality_gate'],
  when: 'Use when the user asks whether a release can ship or why the gate fails.',
  task: ({ product, release, environment }) => [
    'Find out with the user whether this can ship. People decide; you explain and fix.',
    ...(product === undefined ? [] : [`Product: ${idText(product)}.`]),
    ...(release === undefined ? [] : [`Release: ${idText(release)}.`]),
    ...(environment === undefined ? [] : [`Environment: ${idText(environment)}.`]),
  ],
  steps,
})
