import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { LARGEST_FILE } from './layout.ts'

/** A file being written. Nothing is to be seen under its name until `finish`. */
export interface Output {
  /** Bytes appended so far. */
  readonly size: number
  append(bytes: Uint8Array): void
  /** Puts these bytes over the first ones, and the file on disk under its name. */
  finish(first: Uint8Array): void
  /** Removes what was written. After `finish` it does nothing. */
  discard(): void
}

/** Starts a file of which a reader sees all or nothing, and which is on disk once it is finished. */
export function createOutput(file: string): Output {
  const part = `${file}.${randomUUID()}.part`
  const fd = openSync(part, 'wx')
  const buffer = Buffer.allocUnsafe(1 << 18)
  let used = 0
  let size = 0
  let open = true
  const flush = () => {
    writeAll(fd, buffer.subarray(0, used), null)
    used = 0
  }
  return {
    get size() {
      return size
    },
    append(bytes) {
      size += bytes.length
      if (size > LARGEST_FILE) throw new Error(`the table would be larger than ${LARGEST_FILE} bytes`)
      if (used + bytes.length > buffer.length) flush()
      if (bytes.length > buffer.length) return writeAll(fd, bytes, null)
      buffer.set(bytes, used)
      used += bytes.length
    },
    finish(first) {
      flush()
      writeAll(fd, first, 0)
      fsyncSync(fd)
      closeSync(fd)
      open = false
      renameSync(part, file)
    },
    discard() {
      if (open) closeSync(fd)
      open = false
      rmSync(part, { force: true })
    },
  }
}

function writeAll(fd: number, bytes: Uint8Array, position: number | null): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done)
  }
}
