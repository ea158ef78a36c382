import type { RepositoryFacts } from './repository.ts'

/** What runs the code: a backend can keep a secret, a page or an app cannot. Both may be true. */
export interface Application {
  isBackend: boolean
  isPage: boolean
}

/** Packages of code that runs at users. */
const PAGE = [
  'vite webpack parcel rollup react-dom react-native vue svelte preact solid-js lit @angular/core expo electron',
].flatMap((names) => names.split(' '))
/** Packages of servers, also of frameworks whose pages a server renders. */
const SERVER = [
  'express fastify koa hono restify @hapi/hapi @nestjs/core @hono/node-server apollo-server @apollo/server graphql-yoga h3',
  'next nuxt astro @sveltejs/kit @remix-run/node @react-router/node @tanstack/react-start socket.io ws bullmq',
].flatMap((names) => names.split(' '))

/** Every language but JavaScript is a backend's; JavaScript is one unless its packages speak of pages alone. */
export function findApplication({ languages, packages }: RepositoryFacts): Application {
  const has = (names: readonly string[]) => names.some((name) => packages.has(name))
  const isPage = languages.some(({ inPages }) => inPages === true) && has(PAGE)
  return { isBackend: !isPage || has(SERVER) || languages.some(({ inPages }) => inPages !== true), isPage }
}
