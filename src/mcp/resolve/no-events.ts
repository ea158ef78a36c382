/** The hint for an agent that finds nothing because no event has ever reached the product. */
export const noEvents =
  "No event has ever arrived: ask the user to give the product's DSN, which tracegate serve prints, to a Sentry SDK, " +
  'or to try npm start, which fills an unused data directory with a sample.'
