import { fstatSync, readSync } from 'node:fs'
import { checkIndex, decodeHeader, HEADER_BYTES, indexBytes, type Header } from './layout.ts'

/** The index of an open map table, as bytes that are as they were written. Throws an Error that says what is wrong. */
export function readIndexBytes(fd: number): { header: Header; index: Buffer; fileBytes: number } {
  const fileBytes = fstatSync(fd).size
  if (fileBytes < HEADER_BYTES) throw new Error(`has only ${fileBytes} bytes, too few for a map table`)
  const head = readBytes(fd, 0, HEADER_BYTES)
  const header = decodeHeader(head, fileBytes)
  const index = readBytes(fd, header.indexOffset, indexBytes(header))
  checkIndex(head, index)
  return { header, index, fileBytes }
}

/** Bytes of a file; throws an Error when it ends before. */
export function readBytes(fd: number, position: number, length: number): Buffer {
  // Not from the pool: the index is read as 32-bit numbers, which have to be aligned.
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let done = 0; done < length;) {
    const count = readSync(fd, bytes, done, length - done, position + done)
    if (count === 0) throw new Error(`ends at byte ${position + done}`)
    done += count
  }
  return bytes
}
