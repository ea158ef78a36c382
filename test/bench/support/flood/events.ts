const TYPES = 40
const USERS = 500
const environments = ['production', 'staging']

/** What is sent with a number, and so what the store must hold of it: the same in every run. */
export interface Sent {
  /** The id that the SDK gives the event. */
  id: string
  /** Type of the exception, which makes one issue. */
  type: string
  user: string
  environment: string
}

export function sentWith(number: number): Sent {
  return {
    id: number.toString(16).padStart(32, '0'),
    type: `Error${String(number % TYPES)}`,
    user: `user-${String(number % USERS)}`,
    environment: environments[number % environments.length] ?? '',
  }
}

/** The envelope of an event of about 8 KB, as an SDK sends it. */
export function envelope({ id, type, user, environment }: Sent): string {
  const exception = { values: [{ type, value: `order ${id} failed`, stacktrace: { frames } }] }
  const event = { platform: 'node', environment, release: 'shop@1.0.0', user: { id: user }, exception, breadcrumbs }
  return `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`
}

const frames = Array.from({ length: 30 }, (_, at) => ({
  function: `step${String(at)}`,
  filename: `src/checkout/step-${String(at)}.ts`,
  lineno: 10 + at,
  colno: 7,
  in_app: at % 2 === 0,
  context_line: `  return next(order, { step: ${String(at)}, retry: false, currency: 'EUR' })`,
  pre_context: [`  // Step ${String(at)} of the checkout`, '  const order = await load(id)'],
}))
const breadcrumbs = Array.from({ length: 20 }, (_, at) => ({ category: 'cart', message: `added item ${String(at)}` }))
