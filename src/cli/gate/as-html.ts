import { gatePicture } from '../../pages/picture/gate-picture.ts'
import type { GatePicture } from '../../pages/picture/types.ts'
import { pictureTitle } from '../../pages/picture/words.ts'
import { renderDocument } from '../../pages/support/document.ts'
import { layout } from '../../pages/support/layout.ts'

/** The verdict as the page `/gate` shows it: one file without scripts and without any other origin. */
export function asHtml(picture: GatePicture): string {
  return renderDocument(layout({ title: pictureTitle(picture), wide: true }, gatePicture(picture))).trimEnd()
}
