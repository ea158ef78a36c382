import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileGlob } from '../../../../src/service/workspace/components/glob.ts'
import { requirementsOfPaths } from '../../../../src/service/quality/requirements/match.ts'
import { startApp } from '../../../app.ts'

const segment = fc.constantFrom('src', 'cart', 'web', 'a.ts', 'b.ts', 'total')
const paths = fc.array(
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
  {
    minLength: 1,
    maxLength: 6,
  },
)
const globs = fc.uniqueArray(
  fc
    .array(fc.oneof(segment, fc.constantFrom('*', '**', '*.ts', 'c*', '{cart,web}', '[ab].ts')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join('/')),
  { minLength: 1, maxLength: 8 },
)

test('the requirements of a file are the same as when every code reference is tested', async () => {
  await using app = await startApp()
  await fc.assert(
    fc.asyncProperty(globs, paths, async (references, asked) => {
      const made = await app.request<{ requirement: { id: string } }>(
        'POST',
        `/v1/products/${app.productId}/requirements`,
        {
          title: 'a rule',
          code_refs: references.map((path) => ({ path })),
        },
      )
      const { id } = made.body.requirement
      const claims = await requirementsOfPaths(app.db.read, Number(app.productId), asked)
      for (const path of asked) {
        const found = (claims.get(path) ?? []).filter(({ requirementId }) => requirementId === id)
        const expected = references.filter((glob) => compileGlob(glob)(path))
        expect(found.map(({ codeRef }) => codeRef.path).toSorted()).toEqual(expected.toSorted())
      }
      await app.request('DELETE', `/v1/requirements/${id}`)
    }),
    { numRuns: 60 },
  )
})

test('references of 500 letters of several bytes are stored, and the files that can match them are found', async () => {
  await using app = await startApp()
  // Nothing that a database could compress before it is put into an index.
  const letters = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e00 + ((first + index * 7_919) % 20_000))).join(
      '',
    )
  const folder = `src/${letters(0, 385)}`
  const glob = `${folder}/{${letters(385, 100)},a}.ts`
  const made = await app.request('POST', `/v1/products/${app.productId}/requirements`, {
    title: 'a rule',
    code_refs: [{ path: `src/${letters(0, 490)}.ts` }, { path: glob }],
  })
  expect(made.status).toBe(200)
  const asked = [`${folder}/a.ts`, `${folder}/b.ts`, 'src/a.ts']
  const claims = await requirementsOfPaths(app.db.read, Number(app.productId), asked)
  expect(asked.map((path) => claims.get(path)?.map(({ codeRef }) => codeRef.path))).toEqual([
    [glob],
    undefined,
    undefined,
  ])
})
