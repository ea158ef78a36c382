import * as z from 'zod'
import { testKey } from '../quality/keys.ts'

/** The members by which outputs of agents name a test. */
export const NamedTest = {
  id: z.string(),
  key: z.string().describe('Such as TC-7.'),
  title: z.string(),
  names_known: z.boolean().describe('Whether members gave the names; else they come from a report.'),
  file_path: z.string(),
}

/** A stored test as outputs of agents name it. */
export function viewNamedTest({
  id,
  number,
  title,
  names_known,
  file_path,
}: {
  id: string
  number: number
  title: string
  names_known: number
  file_path: string
}) {
  return { id, key: testKey({ number }), title, names_known: names_known === 1, file_path }
}
