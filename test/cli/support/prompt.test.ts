import { expect, test } from 'vitest'
import { openPrompt } from '../../../src/cli/support/prompt.ts'
import { terminal } from '../run.ts'

test('a secret is read and never shown; a line is shown as it is typed', async () => {
  const { io, screen } = terminal([
    ['Your API token', ' tg_typed_secret '],
    ['Type REQ-12', 'REQ-12'],
  ])
  const prompt = openPrompt(io, 'confirm')
  expect(await prompt.secret('Your API token')).toBe('tg_typed_secret')
  expect(await prompt.line('Type REQ-12')).toBe('REQ-12')
  expect(screen.text).not.toContain('tg_typed')
  expect(screen.text).toMatch(/Your API token: .*\n.*Type REQ-12: .*REQ-12/s)
})

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s ends the question with the word that nothing was written', async (_, key) => {
  const { io } = terminal([['Your API token', key]])
  await expect(openPrompt(io, 'confirm').secret('Your API token')).rejects.toMatchObject({
    code: 'aborted',
    message: 'stopped before everything was typed: nothing was written',
  })
})

test.each(['stdin', 'stdout'] as const)('where %s is no terminal, nothing is asked', (stream) => {
  const { io, screen } = terminal([['Your API token', 'tg_piped']])
  Object.assign(io[stream], { isTTY: undefined })
  expect(() => openPrompt(io, 'approve')).toThrow('approve asks a person and reads nothing from pipes or variables')
  expect(screen.text).toBe('')
})
