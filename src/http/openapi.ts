import type { Example } from './examples/example.ts';
import { examples } from './examples/story.ts';
import { openApiPath, operationOf } from './openapi-operation.ts';
import { problemResponses } from './openapi-responses.ts';
import { schemaComponents } from './openapi-schemas.ts';
import type { Route } from './route.ts';
import { openApiDocument as documentSchema } from './schemas/service.ts';
import { type AnswerFile, staticFile } from './static-file.ts';

/** The interfaces as they are grouped in the document. */
const tags = [
  {
    name: 'writer',
    description: 'Write. 200 means: synced to disk, visible to the next read. A repeat is harmless.',
  },
  { name: 'query', description: 'Read and delete. Every read is a POST with a JSON body; none means `{}`.' },
  {
    name: 'admin',
    description: 'Tokens, workspaces, backups, the clock. Only admins of the default workspace reach others.',
  },
  { name: 'service', description: 'Health, figures, this document. No token, but for `/metrics`.' },
];

const description = `Write time-stamped parameter data and events, find streams, read the data back.

- **Times** are whole nanoseconds since the Unix epoch, 64 bits, exact in both directions. Where a tool rounds them,
  send them as strings of digits, and ask for strings with \`?int64=string\`.
- **Names** of properties may be written in camelCase or PascalCase; an unknown property is an error.
- **Errors** are \`application/problem+json\` (RFC 9457) with a stable \`code\`. A request is applied whole or not at all.
- **Live data** come from the SignalR hub at \`/hub\`; line protocol is taken at \`/api/v2/write\` and \`/write\`. Both
  follow rules of their own and are not in this document.`;

/** Whether the document has a route: neither pages nor what follows the rules of another service. */
export function isListed({ unlisted, dialect, interface: of }: Route): boolean {
  return unlisted !== true && dialect === undefined && of !== 'explorer';
}

/** The routes as an OpenAPI 3.1 document. */
export function openApiDocument(routes: readonly Route[], shown: readonly Example[]): object {
  const schemas = schemaComponents();
  const problems = problemResponses(schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes.filter(isListed)) {
    const own = shown.filter(({ call }) => call === `${route.method} ${route.path}`);
    const path = openApiPath(route.path);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route, own, { schemas, problems });
  }
  const served = new Set(routes.map((route) => route.interface));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pitwall',
      version: '0.1.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: tags.filter(({ name }) => served.has(name as Route['interface'])),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token: `pitwall token create`' },
      },
      responses: problems,
      schemas: schemas.all(),
    },
  };
}

/** Serves the document of the routes of an address. */
export function openApiRoute(routes: readonly Route[]): Route {
  let document: AnswerFile | undefined;
  const route: Route = {
    method: 'GET',
    path: '/openapi.json',
    interface: 'service',
    scope: undefined,
    summary: 'This document',
    response: documentSchema,
    incompressible: true,
    handle(call) {
      document ??= staticFile({
        bytes: Buffer.from(JSON.stringify(openApiDocument([...routes, route], examples))),
        type: 'application/json; charset=utf-8',
        headers: { 'Cache-Control': 'no-cache' },
      });
      return document(call);
    },
  };
  return route;
}
