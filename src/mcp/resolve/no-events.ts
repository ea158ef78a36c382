/** For an agent that finds nothing because nothing has ever reported to the product, and what its user can do. */
export const noEvents =
  "No event has ever arrived: ask the user to give the product's DSN, which tracegate serve prints, to a Sentry SDK, " +
  'or to try npm start, which fills an unused data directory with a sample.'
