import type * as z from 'zod'
import type { TraceabilityMatrix } from '../../../contract/traceability.ts'

export type Matrix = z.input<typeof TraceabilityMatrix>
export type MatrixRow = Matrix['rows'][number]
