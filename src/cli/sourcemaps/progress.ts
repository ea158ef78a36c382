import type { WriteStream } from 'node:tty'
import type { UploadProgress } from '../../mcp/files/source-map-upload.ts'
import { megabytes } from './summary.ts'

export interface ShownProgress {
  show(progress: UploadProgress): void
  /** Restores the terminal; may be called again. */
  end(): void
}

const words = { read: 'reading', send: 'sending', index: 'indexing' } as const

/** A bar on a terminal; elsewhere, as in a CI log, one line per step. */
export async function showProgress(
  stream: WriteStream | (NodeJS.WritableStream & { isTTY?: never }),
): Promise<ShownProgress> {
  if (stream.isTTY !== true) return lines(stream)
  const {
    default: { SingleBar, Presets },
  } = await import('cli-progress')
  const bar = new SingleBar(
    { stream, format: '{step} {bar} {percentage}%  {of}', hideCursor: true, clearOnComplete: true },
    Presets.shades_grey,
  )
  let begun: UploadProgress['step'] | undefined
  return {
    show({ step, done, total }) {
      // The service does not report the progress of indexing: the bar stays full.
      const size = Math.max(total, 1)
      const facts = { step: words[step].padEnd(8), of: total === 0 ? '' : megabytes(total) }
      if (begun === undefined) bar.start(size, 0, facts)
      else if (begun !== step) bar.setTotal(size)
      begun = step
      bar.update(step === 'index' ? size : done, facts)
    },
    end() {
      if (begun !== undefined) bar.stop()
      begun = undefined
    },
  }
}

function lines(stream: NodeJS.WritableStream): ShownProgress {
  let begun: UploadProgress['step'] | undefined
  return {
    show({ step, total }) {
      if (begun === step) return
      begun = step
      stream.write(`${words[step]}${total === 0 ? '' : ` ${megabytes(total)}`}\n`)
    },
    end() {
      begun = undefined
    },
  }
}
