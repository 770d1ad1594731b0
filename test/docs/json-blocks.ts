import assert from 'node:assert/strict';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { models as schemas } from '../../src/http/openapi-schemas.ts';
import { send } from '../e2e/service.ts';
import type { Block } from './markdown.ts';

/** Bodies of requests and the routes that read them; each block is sent to the first one whose schema it fits. */
const requests: readonly (readonly [schema: TSchema, method: string, path: string])[] = [
  [schemas.parameterDataQuery, 'POST', '/parameters/data'],
  [schemas.eventDataQuery, 'POST', '/events/data'],
  [schemas.tagValuesQuery, 'POST', '/tags/values'],
  [schemas.tagNamesQuery, 'POST', '/tags'],
  [schemas.rowDelete, 'POST', '/parameters/data/delete'],
  [schemas.topicSettings, 'PUT', '/topics/cars'],
  [schemas.streamFilter, 'POST', '/streams'],
  [schemas.parameterData, 'POST', '/topics/cars/streams/lap-7/parameters/data'],
  [schemas.parameterDataBatch, 'POST', '/topics/cars/parameters/data'],
  [schemas.eventData, 'POST', '/topics/cars/streams/lap-7/events/data'],
  [schemas.parameterDefinitions, 'PUT', '/topics/cars/streams/lap-7/parameters'],
  [schemas.eventDefinitions, 'PUT', '/topics/cars/streams/lap-7/events'],
  [schemas.streamProperties, 'PUT', '/topics/cars/streams/lap-7'],
];

/** What the service answers; these blocks are only compared with its schema. */
const answers: readonly TSchema[] = [
  schemas.parameterDataAnswer,
  schemas.eventDataAnswer,
  schemas.streams,
  schemas.streamModels,
  schemas.parameters,
  schemas.events,
  schemas.topics,
  schemas.tagNames,
  schemas.problem,
  schemas.workspace,
  schemas.workspaceList,
];

/** Words behind `json` name the request that the block is the body of (`PUT /topics/cars`), or say `answer`. */
export async function checkJson(url: string, block: Block): Promise<void> {
  const place = `${block.page}:${block.line}`;
  const [method, path] = block.words;
  if (method !== undefined && method !== 'answer') {
    await accepted(place, url, method, path!, block.text);
    return;
  }
  // A piece of a query is sent with a column beside it.
  const text = block.text.trimStart().startsWith('"')
    ? `{"streamIds": ["lap-7"], "numericParameters": [{"parameterName": "Speed", "aggregationType": "Mean"}], ${block.text}}`
    : block.text;
  const value: unknown = JSON.parse(text);
  if (answers.some((schema) => Value.Check(schema, value))) return;
  assert.notEqual(method, 'answer', `${place}: no answer of the service has this form`);
  const fitting = requests.find(([schema]) => Value.Check(schema, value));
  assert.ok(fitting !== undefined, `${place}: no request or answer has this form`);
  await accepted(place, url, fitting[1], fitting[2], text);
}

async function accepted(
  place: string,
  url: string,
  method: string,
  path: string,
  body: string,
): Promise<void> {
  const headers = { 'content-length': String(Buffer.byteLength(body)) };
  const reply = await send(url, path, { method, body, headers });
  assert.equal(reply.status, 200, `${place}: ${reply.text}`);
}
