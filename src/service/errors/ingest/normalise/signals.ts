import type { TruncationNotes } from '../../../shared/truncation-notes.ts'

/** Why something of an event is not in the normalised form. */
type Reason = 'type' | 'value' | 'range' | 'length' | 'count' | 'size' | 'depth'

/** Collects what normalisation drops or cuts. */
export type Signals = TruncationNotes<Reason>
