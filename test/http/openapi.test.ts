import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { examples } from '../../src/http/examples/story.ts';
import { isListed, openApiDocument, openApiRoute } from '../../src/http/openapi.ts';
import type { Route } from '../../src/http/route.ts';
import { type RouteParts, routeTable } from '../../src/http/route-table.ts';
import { root } from '../root.ts';

type Json = Record<string, unknown>;

interface Media {
  readonly schema?: Json;
  readonly examples?: Record<string, { summary: string; value: unknown }>;
}

interface Response {
  readonly description: string;
  readonly content?: Record<string, Media>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: string[];
  readonly security: Json[];
  readonly parameters?: { name: string; in: string; required: boolean; description: string; schema: Json }[];
  readonly requestBody?: { required: boolean; content: Record<string, Media> };
  readonly responses: Record<string, Response & { $ref?: string }>;
}

interface Document {
  readonly openapi: string;
  readonly info: { title: string; version: string };
  readonly tags: { name: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Json>; responses: Record<string, Response> };
}

/** The routes describe themselves without anything behind them. */
const anything: object = new Proxy(() => undefined, { get: () => anything });
const known: Readonly<Record<string | symbol, unknown>> = { explorerFolder: root };
const parts = new Proxy({}, { get: (_, name) => known[name] ?? anything });
const table = routeTable(parts as RouteParts);
const routes: Route[] = [...table, openApiRoute(table)];
const listed = routes.filter(isListed);
const text = JSON.stringify(openApiDocument(routes, examples));
const document = JSON.parse(text) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** What a pointer of the form `#/a/b` names. */
function resolve(reference: string): unknown {
  assert.match(reference, /^#\//);
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
}

function responseOf({ $ref, ...response }: Operation['responses'][string]): Response {
  return $ref === undefined ? response : (resolve($ref) as Response);
}

/** A schema with everything that its references need beside it. */
function check(schema: Json, value: unknown): boolean {
  return Check({ ...schema, components: document.components } as never, value);
}

/** An array may leave it to its items to say what they are. */
function isDescribed(schema: Json): boolean {
  const { description, $ref, items } = schema as { description?: string; $ref?: string; items?: Json };
  return description !== undefined || $ref !== undefined || (items !== undefined && isDescribed(items));
}

/** Every property in a schema, at any depth. */
function* propertiesOf(schema: Json, path: string): Generator<{ schema: Json; path: string }> {
  for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    yield { schema: inner, path: `${path}.${name}` };
    yield* propertiesOf(inner, `${path}.${name}`);
  }
  for (const key of ['items', 'additionalProperties']) {
    const inner = schema[key];
    if (typeof inner === 'object') yield* propertiesOf(inner as Json, `${path}[]`);
  }
}

describe('the OpenAPI document', () => {
  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.deepEqual([document.openapi, document.info.version], ['3.1.0', version]);
  });

  it('has every call, and each has an example', () => {
    assert.equal(operations.length, listed.length);
    for (const { method, path } of listed) {
      const call = `${method} ${path}`;
      assert.ok(document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()], call);
      assert.ok(
        examples.some((example) => example.call === call),
        `${call} has an example`,
      );
    }
    const calls = new Set(listed.map(({ method, path }) => `${method} ${path}`));
    for (const { call } of examples) assert.ok(calls.has(call), `${call} is a call`);
  });

  it('refers to nothing that it does not have, and has nothing that nobody refers to', () => {
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!));
    for (const reference of references) assert.ok(resolve(reference), reference);
    for (const name of Object.keys(document.components.schemas))
      assert.ok(references.has(`#/components/schemas/${name}`), name);
  });

  it('names every operation once, in words that a client generator can use', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/);
  });

  it('describes every operation, its parameters and its answers', () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { path, method, operation } of operations) {
      const call = `${method} ${path}`;
      assert.ok(operation.summary.length > 0, call);
      assert.ok(
        operation.tags.every((tag) => tags.has(tag)),
        call,
      );
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const parameters = operation.parameters ?? [];
      assert.deepEqual(
        parameters.filter((one) => one.in === 'path').map(({ name }) => name),
        inPath,
        call,
      );
      for (const parameter of parameters) {
        assert.ok(parameter.description.length > 0, `${call} ${parameter.name}`);
        if (parameter.in === 'path') assert.equal(parameter.required, true);
      }
      assert.ok(operation.responses['200'], call);
      assert.ok(operation.responses['default'], call);
      const needsToken = operation.security.length > 0 && operation.security.every((one) => 'bearer' in one);
      assert.equal(operation.responses['401'] !== undefined, needsToken, call);
      assert.equal(operation.responses['408'] !== undefined, operation.requestBody !== undefined, call);
      for (const [status, response] of Object.entries(operation.responses)) {
        const { description, content } = responseOf(response);
        assert.ok(description.length > 0, `${call} ${status}`);
        if (status === '304') assert.equal(content, undefined, call);
        else if (status !== '200') assert.deepEqual(Object.keys(content!), ['application/problem+json']);
      }
    }
  });

  it('calls what an address names what it is', () => {
    const named = {
      '/alerts/': /alert rule/,
      '/calculated/': /calculated parameter/,
      '/workspaces/': /workspace/,
    };
    for (const [before, word] of Object.entries(named)) {
      const found = operations.filter(({ path }) => /\{(name|id)\}/.test(path) && path.includes(before));
      assert.ok(found.length > 0, before);
      for (const { path, operation } of found) {
        const [own] = (operation.parameters ?? []).filter(({ name }) => name === 'name' || name === 'id');
        assert.match(own!.description, word, path);
      }
    }
  });

  it('tells of what may not be there, and of what has not changed', () => {
    for (const { path, method, operation } of operations) {
      const call = `${method} ${path}`;
      // Streams come into being by being written to, and PUT makes what it names, but for the workspace of what it keeps.
      const makes = method === 'put' && !path.endsWith('/contents');
      const names = /\{(?:view|share|name|id)\}/.test(path) && !makes;
      const closes = path.endsWith('/close');
      assert.equal(operation.responses['404'] !== undefined, names || closes, call);
      const asks = operation.parameters?.some((one) => one.name === 'If-None-Match') === true;
      assert.equal(operation.responses['304'] !== undefined, asks && method === 'get', call);
    }
    assert.ok(document.paths['/views/{view}']!['get']!.responses['304']);
  });

  it('lets a token be shown where it is not needed and says more', () => {
    assert.deepEqual(document.paths['/readyz']!['get']!.security, [{}, { bearer: [] }]);
    assert.deepEqual(document.paths['/healthz']!['get']!.security, []);
  });

  it('describes every model and every property of it', () => {
    for (const [name, model] of Object.entries(document.components.schemas)) {
      assert.ok(isDescribed(model), `${name} is described`);
      for (const { schema, path } of propertiesOf(model, name)) {
        assert.ok(isDescribed(schema), `${path} is described`);
      }
    }
  });

  it('has examples that its schemas allow', () => {
    let checked = 0;
    const checkAll = (media: Media | undefined, what: string) => {
      for (const [name, { value }] of Object.entries(media?.examples ?? {})) {
        if (media?.schema === undefined) continue;
        assert.ok(check(media.schema, value), `${what}: ${name}`);
        checked++;
      }
    };
    for (const { path, method, operation } of operations) {
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        checkAll(media, `${method} ${path}`);
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const media of Object.values(responseOf(response).content ?? {}))
          checkAll(media, `${method} ${path} ${status}`);
      }
    }
    assert.ok(checked > 40);
    const streams = { $ref: '#/components/schemas/Streams' };
    assert.equal(check(streams, [{ streamId: 5 }]), false);
  });

  it('shows on an address what that address serves', () => {
    const writer = routes.filter((route) => route.interface === 'writer' || route.interface === 'service');
    const own = openApiDocument(writer, examples) as Document;
    assert.deepEqual(
      own.tags.map(({ name }) => name),
      ['writer', 'service'],
    );
    assert.equal(own.paths['/streams'], undefined);
    assert.ok(own.paths['/topics/{topic}/streams']);
  });

  it('writes names as keys and examples as values that OpenAPI allows', () => {
    for (const { operation } of operations) {
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        for (const name of Object.keys(media.examples ?? {})) assert.match(name, /^[a-zA-Z0-9.\-_]+$/);
      }
    }
    const names = [
      ...Object.keys(document.components.schemas),
      ...Object.keys(document.components.responses),
    ];
    for (const name of names) assert.match(name, /^[a-zA-Z0-9.\-_]+$/);
  });
});
