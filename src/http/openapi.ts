import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { type Answer, json, type Route } from './route.ts';
import { problem } from './schemas.ts';

/** Collects the routes, which are to be added afterwards, into an OpenAPI 3.1 document, and gives the route that serves it. */
export async function addOpenApi(app: FastifyInstance, routes: readonly Route[]): Promise<Route> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pitwall',
        description: 'Write time-stamped parameter data, find streams, read the data back.',
        version: '0.1.0',
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
  });
  let document: Answer | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    interface: 'service',
    scope: undefined,
    summary: 'This document',
    response: Type.Unknown({ description: 'OpenAPI 3.1' }),
    handle() {
      document ??= json(withOptionalBodies(app.swagger() as Document, routes));
      return document;
    },
  };
}

interface Document {
  readonly paths: Record<string, Record<string, { requestBody?: { required: boolean } }>>;
}

/** The generator takes every body for required. */
function withOptionalBodies(document: Document, routes: readonly Route[]): Document {
  for (const { method, path, body } of routes) {
    if (body?.optional !== true) continue;
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation?.requestBody !== undefined) operation.requestBody.required = false;
  }
  return document;
}

/** A route as the document shows it. Every route may answer with a problem. */
export function routeSchema(route: Route): FastifySchema {
  const names = [...route.path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1]!);
  return {
    summary: route.summary,
    ...(route.door === undefined ? {} : { hide: true }),
    tags: [route.interface],
    ...(route.scope === undefined ? {} : { security: [{ bearer: [] }] }),
    ...(names.length === 0
      ? {}
      : { params: Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()]))) }),
    ...(route.body === undefined ? {} : { body: bodySchema(route.body) }),
    ...(route.query === undefined ? {} : { querystring: Type.Object({ ...route.query }) }),
    response: {
      200: route.response ?? Type.Null({ description: 'Done' }),
      default: { description: 'A problem', content: { 'application/problem+json': { schema: problem } } },
    },
  } as FastifySchema;
}

function bodySchema({ schema, anyType }: NonNullable<Route['body']>): unknown {
  return anyType === true ? { content: { '*/*': { schema } } } : schema;
}
