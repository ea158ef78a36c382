import { expect, test } from 'vitest'
import {
  guessArtifact,
  minifiedPath,
  normalPrefix,
  resolveReference,
} from '../../../../../src/service/errors/sourcemaps/process/paths.ts'

test.each([
  ['~/assets/app.js', 'app.js.map', '~/assets/app.js.map'],
  ['~/assets/app.js', './maps/app.js.map?v=1#x', '~/assets/maps/app.js.map'],
  ['~/assets/app.js', '../maps/app.js.map', '~/maps/app.js.map'],
  ['~/app.js', '../../../etc/passwd', '~/etc/passwd'],
  ['~/assets/app.js', '/maps/app.js.map', '~/maps/app.js.map'],
  ['https://shop.example/assets/app.js', '/maps/app.js.map', 'https://shop.example/maps/app.js.map'],
  ['https://shop.example/assets/app.js', 'app.js.map', 'https://shop.example/assets/app.js.map'],
  ['https://shop.example/assets/app.js', '//cdn.example/app.js.map', 'https://cdn.example/app.js.map'],
  ['~/assets/app.js', 'https://cdn.example/app.js.map', 'https://cdn.example/app.js.map'],
  ['~/assets/[id].js', '%5Bid%5D.js.map', '~/assets/[id].js.map'],
  ['~/assets/a.js', '100%.map', '~/assets/100%.map'],
  ['/srv/shop/server.mjs', 'server.mjs.map', '/srv/shop/server.mjs.map'],
  ['app:///dist/main.js', 'main.js.map', 'app:///dist/main.js.map'],
  ['~/app.js', '', ''],
])('from %s the reference %s leads to %s', (path, reference, expected) => {
  expect(resolveReference(path, reference)).toBe(expected)
})

test.each([
  ['~/assets/app.js.map', '', '~/assets/app.js'],
  ['~/assets/app.js.map', 'app.js', '~/assets/app.js'],
  ['~/assets/app.js.map', 'static/assets/other.js', '~/assets/static/assets/other.js'],
  ['~/static/js/main.js.map', 'static/js/main.js', '~/static/js/main.js'],
  ['~/maps/a.map', '../app.js', '~/app.js'],
  ['~/maps/a.json', '', ''],
])('the map %s with the file %j belongs to %s', (path, file, expected) => {
  expect(minifiedPath(path, file)).toBe(expected)
})

test.each([
  ['dist.ZIP', 'ARTIFACT_BUNDLE'],
  ['app.js.map', 'ARTIFACT_SOURCE_MAP'],
  ['app.mjs', 'ARTIFACT_MINIFIED_SOURCE'],
  ['app.cjs', 'ARTIFACT_MINIFIED_SOURCE'],
  ['app.ts', undefined],
])('%s is taken for %s', (name, artifact) => {
  expect(guessArtifact(name)).toBe(artifact)
})

test.each([
  ['', '~/'],
  ['~/static', '~/static/'],
  ['https://shop.example/a/', 'https://shop.example/a/'],
])('the prefix %j stands as %s before paths', (given, expected) => {
  expect(normalPrefix(given)).toBe(expected)
})
