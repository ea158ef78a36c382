import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { createLocalFiles } from '../../../src/mcp/files/local-files.ts'
import { errorText } from '../../../src/mcp/result/teach.ts'

let base: string
let root: string
let outside: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-files-')))
  root = folder('root')
  outside = folder('outside')
  file('outside/secret.txt', 'secret')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function folder(path: string): string {
  mkdirSync(join(base, path), { recursive: true })
  return join(base, path)
}

function file(path: string, text = 'text'): string {
  mkdirSync(dirname(join(base, path)), { recursive: true })
  writeFileSync(join(base, path), text)
  return join(base, path)
}

const large = { maxBytes: 1_000_000 }
const many = { maxFiles: 1000 }

async function textAt(path: string, files = createLocalFiles([root])): Promise<string> {
  return Buffer.from((await files.read(path, large)).bytes).toString()
}

test('a file is read by its absolute path and by the one relative to a root', async () => {
  file('root/a/b.txt', 'hello')
  const files = createLocalFiles([folder('other'), root])
  for (const path of ['a/b.txt', './a/../a/b.txt', join(root, 'a/b.txt'), 'a\\b.txt']) {
    const { path: shown, bytes } = await files.read(path, large)
    expect([path, shown, Buffer.from(bytes).toString()]).toEqual([path, 'a/b.txt', 'hello'])
  }
})

test('a root that is a link is its target folder', async () => {
  file('root/a.txt', 'hello')
  const link = join(base, 'link')
  symlinkSync(root, link)
  const files = createLocalFiles([link])
  expect(files.roots).toEqual([root])
  expect(await textAt(join(link, 'a.txt'), files)).toBe('hello')
  expect(await textAt(join(root, 'a.txt'), files)).toBe('hello')
})

test.each([
  ['its absolute path', () => join(outside, 'secret.txt')],
  ['dot segments', () => '../outside/secret.txt'],
  ['a name that begins like the root', () => `${file('root2/x.txt')}`],
  ['the root of the disk', () => '/'],
])('a path outside is refused, whether it exists or not: %s', async (_, path) => {
  const files = createLocalFiles([root])
  for (const given of [path(), `${path()}-that-is-not-there`]) {
    await expect(files.read(given, large)).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(files.list(given, many)).rejects.toMatchObject({ code: 'permission_denied' })
    expect(await files.exists(given)).toBe(false)
  }
})

test('dot segments with Windows separators do not lead outside', async () => {
  const files = createLocalFiles([root])
  for (const given of ['..\\outside\\secret.txt', '..\\outside\\nothing.txt']) {
    await expect(files.read(given, large)).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('no link leads outside, and its error does not reveal whether the target exists', async () => {
  symlinkSync(outside, join(root, 'folder'))
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file'))
  symlinkSync(join(outside, 'nothing'), join(root, 'dangling'))
  symlinkSync(join(root, 'loop'), join(root, 'loop'))
  const files = createLocalFiles([root])
  for (const given of ['folder/secret.txt', 'folder/nothing', 'file', 'dangling', 'loop']) {
    await expect(files.read(given, large)).rejects.toMatchObject({ code: 'permission_denied' })
    expect(await files.exists(given)).toBe(false)
  }
})

test('a link inside the roots is followed', async () => {
  file('root/real.txt', 'hello')
  symlinkSync(join(root, 'real.txt'), join(root, 'link.txt'))
  expect(await textAt('link.txt')).toBe('hello')
})

/** Swaps something at the very moment between the check of the path and the opening of the file. */
function swappedBeforeOpening(swap: () => Promise<void>) {
  const openFile: typeof open = async (...call) => {
    await swap()
    return open(...call)
  }
  return createLocalFiles([root], { openFile })
}

test('a file swapped for a link before it is opened is not read', async () => {
  const path = file('root/a.txt', 'harmless')
  const files = swappedBeforeOpening(async () => {
    await rm(path)
    await symlink(join(outside, 'secret.txt'), path)
  })
  await expect(files.read('a.txt', large)).rejects.toMatchObject({ code: 'permission_denied' })
})

test('a folder swapped for a link before the file in it is opened is not read', async () => {
  file('root/folder/secret.txt', 'harmless')
  const files = swappedBeforeOpening(async () => {
    await rename(join(root, 'folder'), join(root, 'away'))
    await symlink(outside, join(root, 'folder'))
  })
  await expect(files.read('folder/secret.txt', large)).rejects.toMatchObject({ code: 'permission_denied' })
})

test('a folder that was a link only while the file was opened is not read either', async () => {
  file('root/folder/secret.txt', 'harmless')
  const openFile: typeof open = async (...call) => {
    renameSync(join(root, 'folder'), join(root, 'away'))
    symlinkSync(outside, join(root, 'folder'))
    const handle = await open(...call)
    rmSync(join(root, 'folder'))
    renameSync(join(root, 'away'), join(root, 'folder'))
    return handle
  }
  const files = createLocalFiles([root], { openFile })
  await expect(files.read('folder/secret.txt', large)).rejects.toMatchObject({ code: 'permission_denied' })
})

test('only regular files are read; folders, pipes and devices are refused without blocking', async () => {
  expect(spawnSync('mkfifo', [join(root, 'pipe')]).status).toBe(0)
  const files = createLocalFiles([root, '/dev'])
  for (const given of ['pipe', '.', '/dev/zero']) {
    await expect(files.read(given, large)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'the path is not a regular file',
    })
    expect(await files.exists(given)).toBe(false)
  }
})

test('a pipe that replaces a file before it is opened does not block the call', async () => {
  const path = file('root/a.txt')
  const files = swappedBeforeOpening(async () => {
    await rm(path)
    expect(spawnSync('mkfifo', [path]).status).toBe(0)
  })
  await expect(files.read('a.txt', large)).rejects.toMatchObject({ message: 'the path is not a regular file' })
})

test('a file over the limit is refused, also if it grows while it is read', async () => {
  const path = file('root/a.txt', 'x'.repeat(1000))
  const files = createLocalFiles([root])
  expect((await files.read('a.txt', { maxBytes: 1000 })).bytes).toHaveLength(1000)
  await expect(files.read('a.txt', { maxBytes: 999 })).rejects.toMatchObject({ code: 'payload_too_large' })
  truncateSync(path, 300_000)
  let bytes = 0
  const reading = async () => {
    for await (const chunk of files.chunks('a.txt', { maxBytes: 400_000 })) {
      bytes += chunk.byteLength
      truncateSync(path, 1_000_000)
    }
  }
  await expect(reading()).rejects.toMatchObject({ code: 'payload_too_large' })
  expect(bytes).toBeLessThanOrEqual(400_000)
})

test.each([
  ['~/app.js.map', '"~" is not expanded'],
  ['file:///srv/app.js.map', 'a file:// URL is not a path'],
  ['https://shop.example/app.js.map', 'files are not read from URLs'],
  ['', 'the path is empty or not a path'],
  ['a\0b', 'the path is empty or not a path'],
])('the spelling %j is refused, with the correct spelling', async (given, message) => {
  await expect(createLocalFiles([root]).read(given, large)).rejects.toMatchObject({ code: 'invalid_argument', message })
})

test('an error names the next step, but neither the path nor the folders', async () => {
  const list = { offers: () => true, pinned: false }
  const failed = async (path: string) =>
    errorText(
      await createLocalFiles([root, outside])
        .read(path, large)
        .catch((error: unknown) => error),
      list,
    )
  expect(await failed('/etc/passwd')).toMatchInlineSnapshot(`
    "error: the path is outside the 2 allowed folders (permission_denied, not retryable)
    you sent: path = a text of 11 characters
    expected: path: inside an allowed folder, which relative paths start from; links that leave it are not followed
    next: ask the user to add its folder to TRACEGATE_ROOTS."
  `)
  expect(await failed('dist/none.map')).toMatchInlineSnapshot(`
    "error: there is no such file or folder (not_found)
    you sent: path = a text of 13 characters
    expected: path: of an existing file or folder; a relative path starts from an allowed folder
    next: correct the path and call again."
  `)
})

test('a root that does not exist is empty until it is created', async () => {
  const files = createLocalFiles([join(base, 'later')])
  await expect(files.read('a.txt', large)).rejects.toMatchObject({ code: 'not_found' })
  file('later/a.txt', 'hello')
  expect(await textAt('a.txt', files)).toBe('hello')
})

test('a folder is listed sorted, without links, installed packages and history', async () => {
  for (const path of ['b.js', 'a/z.js', 'a/node_modules/x/i.js', '.git/config', 'a-b.js', 'c.txt'])
    file(`root/dist/${path}`)
  symlinkSync(outside, join(root, 'dist/out'))
  symlinkSync(join(root, 'dist/b.js'), join(root, 'dist/link.js'))
  const listed = await createLocalFiles([root]).list('dist', { ...many, wanted: (path) => path.endsWith('.js') })
  expect(listed).toEqual({
    isFolder: true,
    name: 'dist',
    files: ['a-b.js', 'a/z.js', 'b.js'].map((path) => ({ path, absolute: join(root, 'dist', path), sizeBytes: 4 })),
    others: 1,
    links: 2,
  })
})

test('a single file is a list of itself', async () => {
  file('root/app.js.map', '{}')
  const listed = await createLocalFiles([root]).list('app.js.map', many)
  expect(listed).toMatchObject({ isFolder: false, name: 'app.js.map', files: [{ path: 'app.js.map', sizeBytes: 2 }] })
})

test('a folder with too many files or too deep is refused', async () => {
  for (let index = 0; index < 5; index += 1) file(`root/many/${String(index)}.js`)
  folder(`root/deep/${'d/'.repeat(80)}`)
  file(`root/deep/${'d/'.repeat(80)}x.js`)
  const files = createLocalFiles([root])
  expect((await files.list('many', { maxFiles: 5 })).files).toHaveLength(5)
  await expect(files.list('many', { maxFiles: 4 })).rejects.toMatchObject({ code: 'payload_too_large' })
  await expect(files.list('deep', many)).rejects.toMatchObject({ code: 'payload_too_large' })
})

test('no path, however it is composed, reads a file outside', async () => {
  file('root/a/inside.txt', 'harmless')
  symlinkSync(outside, join(root, 'a/out'))
  symlinkSync('..', join(root, 'up'))
  const segment = fc.constantFrom('..', '.', 'a', 'out', 'up', 'root', 'outside', 'secret.txt', 'inside.txt', '')
  const path = fc
    .tuple(
      fc.constantFrom('', '/', base, root, outside, '\\'),
      fc.array(segment, { maxLength: 7 }),
      fc.constantFrom('/', '\\'),
    )
    .map(([start, segments, separator]) => start + segments.join(separator))
  const files = createLocalFiles([root])
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(path, async (given) => {
      const refused = (error: unknown) => (error instanceof ServiceError ? 'refused' : String(error))
      seen.add(await textAt(given, files).catch(refused))
    }),
    { numRuns: 500, examples: [['a/inside.txt'], ['up/outside/secret.txt']] },
  )
  expect(seen).toEqual(new Set(['harmless', 'refused']))
})
