import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
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
    'ignore the error until it happens 100 more times',
    'snooze this error issue for a week',
    'mark SHOP-4 as fixed in the next release',
  ],
  alone: ['fixed_in', 'ignore_until'],
  needs: { fixed_in: { status: 'resolved' }, ignore_until: { status: 'ignored' } },
  texts: { fixed_in: 'next', ignore_until: '7d' },
  hostileCalls: [{ issues: ['APP-1', 'APP-2'], status: 'resolved', reason: 'noise' }],
}
