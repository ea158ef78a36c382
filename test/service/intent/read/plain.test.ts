import { expect, test } from 'vitest'
import { read, uses } from './reading.ts'

test('a chat is read by what each person says, over wrapped lines', async () => {
  const reading = await read(
    `[10:02] Ana: Morning! We used to export to XML.
[10:03] Ben: The export must finish within
60 seconds. Should we keep XML?
[10:04] Ana: No, drop support for XML. We should talk about CSV later.
[10:05] Ben: Agreed: sessions expire after 15 minutes.`,
    'text/plain',
  )
  expect(reading.candidates.map(({ statement, retires }) => [statement, retires])).toEqual([
    ['The export must finish within 60 seconds.', false],
    ['Drop support for XML.', true],
    ['Sessions expire after 15 minutes.', false],
  ])
  expect(uses(reading)).toMatchInlineSnapshot(`
    [
      "1: context",
      "2: proposal 1",
      "3: proposal 1",
      "4: proposal 2",
      "5: proposal 3",
    ]
  `)
})

test('an e-mail is read without its headers, quotes and signature', async () => {
  const reading = await read(
    `From: ana@example.com
Subject: Re: Export limits
Date: Mon, 2 Nov 2026

Hello Ben,

the export must hold at most 10,000 rows, because larger files
do not open.

> The export must hold all rows.

Thanks,
Ana
-- 
Ana Silva, the export must be signed`,
    'text/plain',
  )
  expect(reading.candidates.map(({ statement, headings }) => [statement, headings])).toEqual([
    ['The export must hold at most 10,000 rows, because larger files do not open.', ['Export limits']],
  ])
  expect(uses(reading)).toMatchInlineSnapshot(`
    [
      "1: skipped MAIL_HEADER",
      "2: context",
      "3: skipped MAIL_HEADER",
      "5: context",
      "7: proposal 1",
      "8: proposal 1",
      "10: skipped QUOTE",
      "12: context",
      "13: context",
      "14: skipped SIGNATURE",
      "15: skipped SIGNATURE",
    ]
  `)
})

test('the text of a standard is read below its numbered titles', async () => {
  const { candidates } = await read(
    `3.1.  Caching

   A cache MUST NOT store a response (see Sec. 3.2.) if the "no-store"
   directive is present.  Caches may vary.

   The words "MUST" and "SHALL" are used as in BCP 14.
`,
    'text/plain',
  )
  expect(candidates.map(({ statement, modality, headings }) => [statement, modality, headings])).toEqual([
    [
      'A cache MUST NOT store a response (see Sec. 3.2.) if the "no-store" directive is present.',
      'MODALITY_MUST_NOT',
      ['3.1.  Caching'.replace('  ', ' ')],
    ],
  ])
})
