/** The specification's ways to pass the key of a DSN. Sentry's own names are accepted as well. */
export const ingestSecurity = {
  dsn_key_query: { type: 'apiKey', in: 'query', name: 'svc_key' },
  dsn_key_header: { type: 'apiKey', in: 'header', name: 'X-Svc-Auth', description: '`Svc svc_key=<publicKey>`' },
}

const refused = (description: string, headers?: object) => ({
  description,
  ...(headers !== undefined && { headers }),
  content: {
    'application/json': {
      schema: { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] },
    },
  },
})

const responses = {
  200: {
    description: 'Stored.',
    content: { 'application/json': { schema: { type: 'object', properties: { id: { type: 'string' } } } } },
  },
  400: refused('Bad product or envelope.'),
  401: refused('Missing or invalid key.'),
  413: refused('Over 1 MiB as sent or over 20 MiB decompressed.'),
  429: refused('More events than the key may send.', {
    'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } },
  }),
}

function ingest(operationId: string, summary: string, contentType: string, schema: object) {
  return {
    post: {
      operationId,
      tags: ['ingest'],
      summary,
      security: [{ dsn_key_query: [] }, { dsn_key_header: [] }],
      parameters: [{ name: 'product_id', in: 'path', required: true, schema: { type: 'string' } }],
      requestBody: { required: true, content: { [contentType]: { schema } } },
      responses,
    },
  }
}

/** The ingest surface (contract §12). It is not in the contract table, because it does not accept bearer tokens. */
export const ingestPaths = {
  '/api/{product_id}/envelope/': ingest(
    'ingestEnvelope',
    'Accept an envelope of an SDK: a header line, then an item header and a payload for each item.',
    'application/x-svc-envelope',
    { type: 'string' },
  ),
  '/api/{product_id}/store/': ingest('ingestStore', 'Take one event as JSON.', 'application/json', { type: 'object' }),
}
