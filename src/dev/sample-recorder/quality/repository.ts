import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareWorkspace } from '../crashes/build.ts'

const testsFolder = fileURLToPath(new URL('../shop-tests', import.meta.url))

/** Lays out one release of the shop's repository as its developers have it: sources, tests, installed packages. */
export async function checkOutShop(folder: string, release: string): Promise<void> {
  await prepareWorkspace(folder, release)
  for (const entry of await readdir(testsFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const target = join(folder, file.slice(testsFolder.length))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, inRepository(await readFile(file, 'utf8')))
  }
}

/** Here the tests are next to the folder of the sources; in the shop's repository both are below its root. */
function inRepository(test: string): string {
  return test.replaceAll(/\.\.\/((?:\.\.\/)*)shop\//g, '$1src/')
}
