import type { Handlers } from '../shared/context.ts'
import type { Uploads } from '../errors/sourcemaps/uploads/uploads.ts'

/** Handlers of source maps; the bytes are uploaded to `/uploads`. */
export function sourceMapHandlers({ create, confirm }: Pick<Uploads, 'create' | 'confirm'>) {
  return {
    createSourceMap: create,
    confirmSourceMap: confirm,
  } satisfies Handlers<'createSourceMap' | 'confirmSourceMap'>
}
