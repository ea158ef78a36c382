import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { recordingUrl } from './recording.ts'

/** The source maps of one release as its pipeline sends them: one zip with the minified files next to their maps. */
export interface SampleBundle {
  release: string
  fileName: string
  bytes: Uint8Array
  sha256: string
  /** Number of source maps in it. */
  maps: number
}

/** A folder of the build: its name in the recordings, and its path in the running shop. */
interface BuildFolder {
  folder: string
  deployed: string
}

const server = { folder: 'server', deployed: 'srv/shop/dist/server' }
const assets = { folder: 'public/assets', deployed: 'assets' }

/** The pipeline of the newest release forgot the browser's files, so that a new user sees frames that report it. */
const uploads: readonly { release: string; folders: readonly BuildFolder[] }[] = [
  { release: 'shop@1.3.0', folders: [server, assets] },
  { release: 'shop@1.4.0', folders: [server, assets] },
  { release: 'shop@1.4.1', folders: [server] },
]

/** The maps that the sample lacks: their folder, and the release to upload them for. */
export const forgottenMaps = {
  release: 'shop@1.4.1',
  folder: fileURLToPath(new URL('./bundles/shop@1.4.1/public', recordingUrl)),
}

/** The bundles that the sample's pipelines uploaded, oldest release first. The same files give the same bytes. */
export function sampleBundles(): Promise<SampleBundle[]> {
  return Promise.all(uploads.map(({ release, folders }) => bundle(release, folders)))
}

async function bundle(release: string, folders: readonly BuildFolder[]): Promise<SampleBundle> {
  const zip = new ZipFile()
  let maps = 0
  for (const { folder, deployed } of folders) {
    const from = new URL(`./bundles/${release}/${folder}/`, recordingUrl)
    for (const name of (await readdir(from)).toSorted()) {
      // A second loading is recognised by the checksum: no time of this machine goes into it.
      const entry = { mtime: new Date(2000, 0, 1, 12), forceDosTimestamp: true, mode: 0o100644 }
      if (name.endsWith('.map')) maps += 1
      zip.addBuffer(await readFile(new URL(name, from)), `${deployed}/${name}`, entry)
    }
  }
  zip.end()
  const bytes = await buffer(zip.outputStream)
  const sha256 = hash('sha256', bytes, 'hex')
  return { release, fileName: `${release}.zip`, bytes, sha256, maps }
}
