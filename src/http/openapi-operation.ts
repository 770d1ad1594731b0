import { problemType } from '../wire/answers/problem.ts';
import type { Example } from './examples/example.ts';
import { otherProblem, type ProblemResponse, problemStatuses, responseName } from './openapi-responses.ts';
import type { SchemaComponents } from './openapi-schemas.ts';
import type { Route } from './route.ts';

/** What the parts of an address stand for. */
const pathParameters: Readonly<Record<string, string>> = {
  topic: 'Name of the topic, without regard to case',
  streamId: 'Id of the stream in its topic',
  eventId: 'Id of the event',
  view: 'Id of the view',
  share: 'Id of the share',
};

/** Those that `name` or `id` stands for, by what stands before it. */
const namedThings: Readonly<Record<string, string>> = {
  alerts: 'Name of the alert rule',
  calculated: 'Id of the calculated parameter',
  queries: 'The id that the list of queries has',
  tokens: 'The id that the list of tokens has',
  workspaces: 'Name of the workspace',
};

/** What the document says once for all operations. */
export interface Shared {
  readonly schemas: SchemaComponents;
  readonly problems: Readonly<Record<string, ProblemResponse>>;
}

/** A route as OpenAPI shows it, with its examples. */
export function operationOf(route: Route, examples: readonly Example[], shared: Shared): object {
  const parameters = parametersOf(route, examples, shared.schemas);
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.interface],
    security: securityOf(route),
    ...(route.scope !== undefined && { description: neededBy(route) }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: requestBody(route.body, examples, shared.schemas) }),
    responses: responses(route, examples, shared),
  };
}

function neededBy({ scope, openToShares }: Route): string {
  const needs = `Needs a token with the scope \`${scope}\`.`;
  return openToShares === true ? `${needs} The token of a share reads here what is shared.` : needs;
}

/** An empty object stands for no token (OpenAPI 3.1, 4.8.10). */
function securityOf({ scope, tellsOperatorMore }: Route): object[] {
  if (scope !== undefined) return [{ bearer: [] }];
  return tellsOperatorMore === true ? [{}, { bearer: [] }] : [];
}

/** `/topics/:topic/streams` as OpenAPI writes it. */
export function openApiPath(path: string): string {
  return path.replace(/:([A-Za-z]+)/g, '{$1}');
}

/** The method and the words of the path; `streams/:streamId` is one stream: `putTopicStreamParameters`. */
export function operationId({ method, path }: Route): string {
  const words = path
    .replace(/s\/:\w+/g, '')
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== '');
  const camel = words.map((word) => word[0]!.toUpperCase() + word.slice(1));
  return method.toLowerCase() + camel.join('');
}

function parametersOf(
  { path, query = {}, requestHeaders = {} }: Route,
  examples: readonly Example[],
  schemas: SchemaComponents,
): object[] {
  const inPath = [...path.matchAll(/([A-Za-z]*)\/:([A-Za-z]+)/g)].map(([, before, name]) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name!] ?? namedThings[before!],
    schema: { type: 'string', minLength: 1 },
    example: examples.find(({ params }) => params?.[name!] !== undefined)?.params?.[name!],
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => {
    const { description, ...rest } = schemas.use(schema) as { description?: string };
    return { name, in: 'query', required: false, description, schema: rest };
  });
  const inHeader = Object.entries(requestHeaders).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
  return [...inPath, ...inQuery, ...inHeader];
}

function requestBody(
  { schema, optional, anyType }: NonNullable<Route['body']>,
  examples: readonly Example[],
  schemas: SchemaComponents,
): object {
  const shown = named(
    examples.filter(({ body }) => body !== undefined),
    ({ body }) => body,
  );
  const own = { schema: schemas.use(schema), examples: shown };
  const content =
    anyType === true ? { 'text/plain': own, '*/*': { schema: own.schema } } : { 'application/json': own };
  return { required: !optional, content };
}

function responses(route: Route, examples: readonly Example[], shared: Shared): object {
  const refused = examples.filter(({ status = 200 }) => status >= 400);
  const statuses = problemStatuses({
    needsToken: route.scope !== undefined,
    takesInput: route.body !== undefined || route.query !== undefined || route.path.includes(':'),
    takesBody: route.body !== undefined,
    hasConditions: route.requestHeaders?.['If-Match'] !== undefined,
    mayBeMissing: route.mayBeMissing === true,
  });
  const all = new Set([...statuses, ...refused.map(({ status }) => status!)]);
  const problems = [...all]
    .sort((a, b) => a - b)
    .map((status) => [status, problemResponse(status, refused, shared.problems)] as const);
  return {
    200: success(route, examples, shared.schemas),
    ...(route.method === 'GET' &&
      route.requestHeaders?.['If-None-Match'] !== undefined && { 304: unchanged }),
    ...Object.fromEntries(problems),
    default: { $ref: `#/components/responses/${otherProblem}` },
  };
}

const unchanged = { description: 'It is as `If-None-Match` says: there is no body.' };

/** The common one, or, where there are examples, one that shows them. */
function problemResponse(status: number, refused: readonly Example[], problems: Shared['problems']): object {
  const name = responseName(status);
  const examples = refused.filter((example) => example.status === status);
  if (examples.length === 0) return { $ref: `#/components/responses/${name}` };
  const common = problems[name]!;
  const content = { ...common.content[problemType], examples: named(examples, ({ answer }) => answer) };
  return { ...common, content: { [problemType]: content } };
}

function success(route: Route, examples: readonly Example[], schemas: SchemaComponents): object {
  const { response, answerTypes = [], answerHeaders = {} } = route;
  const done = examples.filter(({ status = 200, answer }) => status === 200 && answer !== undefined);
  const jsonExamples = done.filter(({ accept }) => accept === undefined);
  const content = [
    ...(response === undefined
      ? []
      : [['application/json', media(schemas.use(response), jsonExamples)] as const]),
    ...answerTypes.map((type) => {
      const own = done.filter(({ accept }) => accept === type);
      return [type, media(type.startsWith('text/') ? { type: 'string' } : undefined, own)] as const;
    }),
  ];
  const headers = Object.entries(answerHeaders).map(([name, description]) => {
    return [name, { description, schema: { type: 'string' } }] as const;
  });
  return {
    description: describe(response as Described | undefined) ?? 'Done',
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  };
}

interface Described {
  readonly description?: string;
  readonly items?: Described;
}

/** An array may leave it to its items to say what they are. */
function describe(schema: Described | undefined): string | undefined {
  return schema?.description ?? schema?.items?.description;
}

function media(schema: unknown, examples: readonly Example[]): object {
  return {
    ...(schema !== undefined && { schema }),
    ...(examples.length > 0 && { examples: named(examples, ({ answer }) => answer) }),
  };
}

/** Names have letters and digits only. */
function named(examples: readonly Example[], value: (example: Example) => unknown): object {
  const entries = examples.map((example) => {
    const name = example.summary.replace(/[^A-Za-z0-9]+/g, '-');
    return [name, { summary: example.summary, value: value(example) }] as const;
  });
  return Object.fromEntries(entries);
}
