import type { WireReply } from '../../contract/base/wire.ts'
import { matrixFormats } from '../../contract/traceability.ts'
import { matrixFilters, type MatrixFilterName } from '../picture/matrix-picture.ts'
import { shown } from '../picture/shown.ts'
import type { Place } from '../session/frame.ts'
import type { Area } from '../session/area.ts'
import type { Reading } from '../session/reading.ts'
import type { PageRequest } from '../support/page.ts'
import { downloadReply, pageReply } from '../support/reply.ts'
import { scopeQuery } from './address.ts'
import { matrixRequest, readMatrix, readPicture, readScope } from './reads.ts'
import { gateView } from './views.ts'

/** `/gate`: the newest verdict of a scope and its traceability matrix (decision 061). */
export const gateArea: Area = { name: 'gate', show }

async function show({ url }: PageRequest, place: Place, reading: Reading): Promise<WireReply> {
  const { product } = place
  const query = { ...scopeQuery(url.searchParams), product: product.id }
  const scope = await readScope(query, product, reading)
  const filter = chosenFilter(url.searchParams.get('filter'))
  const format = chosenFormat(url.searchParams.get('export'))
  if (format !== undefined) {
    const { signal } = reading
    const { type, text } = await reading.reader.download(matrixRequest(scope, filter), format, { signal })
    return downloadReply({ type, text, name: `traceability.${extensions[format]}` })
  }
  const pageToken = url.searchParams.get('page') ?? undefined
  const [verdict, matrix] = await Promise.all([
    readPicture(scope, reading),
    readMatrix(scope, { filter, pageToken }, reading),
  ])
  const title = `Quality gate – ${shown(product.name ?? product.id) ?? ''}, ${scope.words}`
  return pageReply(200, gateView(place, { query, filter, title, verdict, matrix }))
}

function chosenFilter(given: string | null): MatrixFilterName {
  const names = Object.keys(matrixFilters) as MatrixFilterName[]
  return names.find((name) => name === given) ?? 'all'
}

const extensions = { csv: 'csv', markdown: 'md', html: 'html', needs: 'needs.json' } as const

function chosenFormat(given: string | null): keyof typeof matrixFormats | undefined {
  const names = Object.keys(matrixFormats) as (keyof typeof matrixFormats)[]
  return names.find((name) => name === given)
}
