import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
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
  hostileCalls: [
    { status: 'any', sort: 'times_seen' },
    { sort: 'first_seen', period: '30d', limit: 50 },
    { environment: 'nowhere' },
    { release: 'nowhere' },
    { component: 'nowhere' },
    { cursor: 'nowhere' },
  ],
  texts: { platforms: 'javascript' },
}
