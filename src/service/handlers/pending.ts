import type { EndpointName } from '../../contract/index.ts'

/** Endpoints without a handler yet: they answer 501. The compiler requires the list to be exact; it only shrinks. */
export const pending = [] as const satisfies readonly EndpointName[]
