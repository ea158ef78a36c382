import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frameFile } from '../../../../../src/service/errors/sourcemaps/symbolicate/frame-file.ts'
import { createMatcher, type Artifact } from '../../../../../src/service/errors/sourcemaps/symbolicate/match.ts'

const build = { release: '1.0', dist: '' }
const fileAt = (abs_path: string, debug_id = '') => frameFile({ abs_path, filename: '', debug_id })

function map(id: number, path: string, members: Partial<Artifact> = {}): Artifact {
  const counterpart = path.replace(/\.map$/, '')
  const artifact = { id, path, counterpart, kind: 'map', content: `content ${id}`, sourcemap_id: 'upload' }
  return { ...artifact, debug_id: '', release: '1.0', dist: '', ...members }
}

const minified = (id: number, path: string, counterpart = '') => map(id, path, { kind: 'minified', counterpart })

/** Path of the map that is taken, or why none is. */
function taken(abs_path: string, artifacts: Artifact[]): string {
  const newestFirst = artifacts.toSorted((left, right) => right.id - left.id)
  const match = createMatcher({ artifacts: newestFirst, maps: artifacts.length }, build)(fileAt(abs_path))
  return 'map' in match ? match.map.path : match.missing
}

test.each<[string, string, string[], string]>([
  ['the whole path before a longer part', '/srv/dist/index.js', ['~/index.js', '~/x/dist/index.js'], '~/index.js.map'],
  ['the longer of two whole paths', '/srv/db/index.js', ['~/index.js', '~/db/index.js'], '~/db/index.js.map'],
  ['the longest part', 'https://h/v1/js/app.js', ['~/static/js/app.js', '~/old/app.js'], '~/static/js/app.js.map'],
  ['none of two that fit alike', 'https://h/app.js', ['~/a/app.js', '~/b/app.js'], 'one of several'],
  ['no other base name', 'https://h/js/app.js', ['~/js/main.js'], 'path'],
  ['not the ending of a base name', 'https://h/js/app.js', ['~/js/my-app.js'], 'path'],
])('of maps under other folders it takes %s', (_, file, paths, expected) => {
  const maps = paths.map((path, index) => map(index + 1, `${path}.map`))
  expect(taken(file, maps)).toBe(expected)
})

test('the map that a minified file names wins over the one beside it', () => {
  const artifacts = [
    minified(1, '~/app.js', 'https://maps.example/maps/app.js.map'),
    map(2, '~/maps/app.js.map', { counterpart: '~/maps/app.js' }),
    map(3, '~/app.js.map'),
  ]
  expect(taken('https://h/app.js', artifacts)).toBe('~/maps/app.js.map')
})

test('a map is found by the minified file that it names, whatever its own name', () => {
  expect(taken('https://h/app.js', [map(1, '~/maps/4711.map', { counterpart: '~/app.js' })])).toBe('~/maps/4711.map')
})

test('a debug id of another build does not keep the path from being looked up', () => {
  const artifacts = [map(1, '~/app.js.map')]
  const file = fileAt('https://h/app.js', '0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0')
  expect(createMatcher({ artifacts, maps: 1 }, build)(file)).toMatchObject({ map: { id: 1 } })
})

test('the answer does not depend on where an event was served from, as long as the path ends alike', () => {
  const segment = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), fc.webUrl(), (segments, origin) => {
      const path = segments.join('/')
      const artifacts = [map(1, `~/${path}/app.js.map`)]
      expect(taken(`${new URL(origin).origin}/${path}/app.js?v=1`, artifacts)).toBe(`~/${path}/app.js.map`)
      expect(taken(`/srv/deep/${path}/app.js`, artifacts)).toBe(`~/${path}/app.js.map`)
    }),
  )
})

test('no path of an event makes the lookup fail', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (abs_path, debug_id) => {
      const file = frameFile({ abs_path, filename: abs_path, debug_id })
      expect(file.paths.length).toBeLessThanOrEqual(16)
      expect(createMatcher({ artifacts: [map(1, `${abs_path}.map`)], maps: 1 }, build)(file)).toBeDefined()
    }),
  )
})

test('further files of an event look at no artifact again, however many have the same name', () => {
  let reads = 0
  const counted = (artifact: Artifact): Artifact => ({
    ...artifact,
    get path() {
      reads += 1
      return artifact.path
    },
  })
  const shelf = Array.from({ length: 200 }, (_, index) => [
    counted(map(2 * index, `~/pages/${index}/index.js.map`)),
    counted(minified(2 * index + 1, `~/pages/${index}/index.js`, `~/pages/${index}/index.js.map`)),
  ]).flat()
  const match = createMatcher({ artifacts: shelf, maps: 200 }, build)
  expect(match(fileAt('https://h/v1/pages/7/index.js'))).toMatchObject({ map: { id: 14 } })
  expect(reads).toBeLessThan(20 * shelf.length)
  reads = 0
  for (let file = 0; file < 100; file += 1) {
    expect(match(fileAt(`https://h/v1/pages/${file}/index.js`))).toMatchObject({ map: { id: 2 * file } })
  }
  expect(reads).toBeLessThan(20 * 100)
})
