import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { PitwallError } from '../../src/errors.ts';
import { models as schemas } from '../../src/http/openapi-schemas.ts';
import { whole } from '../../src/turns/steps.ts';
import {
  decodeTokenRequest,
  decodeWorkspaceRequest,
  decodeWorkspaceSettings,
} from '../../src/wire/requests/admin-request.ts';
import { decodeEventDataQuery } from '../../src/wire/requests/event-data-query.ts';
import {
  decodeEventFilter,
  decodeParameterFilter,
  decodeTopicFilter,
} from '../../src/wire/requests/listing-filter.ts';
import { decodeParameterDataQuery } from '../../src/wire/requests/parameter-data-query.ts';
import { decodeRowDelete } from '../../src/wire/requests/row-delete.ts';
import { decodeStreamDelete, decodeStreamRestore } from '../../src/wire/requests/stream-change.ts';
import { decodeStreamFilter } from '../../src/wire/requests/stream-filter.ts';
import { decodeTagNamesQuery, decodeTagValuesQuery } from '../../src/wire/requests/tag-values-query.ts';
import { decodeTopicSettings } from '../../src/wire/requests/topic-settings.ts';
import { decodeWorkspaceContents } from '../../src/wire/requests/workspace-contents.ts';
import { eventDefinitionSteps, parameterDefinitionSteps } from '../../src/wire/rows/definition.ts';
import { eventSteps } from '../../src/wire/rows/event-data.ts';
import { ParameterDataDecoder } from '../../src/wire/rows/parameter-data.ts';
import {
  decodeCloseStream,
  decodeCreateStream,
  decodeStreamProperties,
} from '../../src/wire/rows/stream-request.ts';
import { defaultPayloadLimits } from '../payload-limits.ts';

/** The parts of JSON Schema that the models use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

const decoder = new ParameterDataDecoder(defaultPayloadLimits);
const pairs: [name: string, schema: TSchema, decode: (body: Uint8Array) => unknown][] = [
  ['parameterData', schemas.parameterData, (body) => decoder.decode(body)],
  ['eventData', schemas.eventData, (body) => whole(eventSteps(body, defaultPayloadLimits))],
  [
    'parameterDefinitions',
    schemas.parameterDefinitions,
    (body) => whole(parameterDefinitionSteps(body, defaultPayloadLimits)),
  ],
  [
    'eventDefinitions',
    schemas.eventDefinitions,
    (body) => whole(eventDefinitionSteps(body, defaultPayloadLimits)),
  ],
  ['parameterDataBatch', schemas.parameterDataBatch, (body) => decoder.decodeBatch(body)],
  [
    'streamProperties',
    schemas.streamProperties,
    (body) => decodeStreamProperties(body, defaultPayloadLimits),
  ],
  ['createStream', schemas.createStream, (body) => decodeCreateStream(body, defaultPayloadLimits)],
  ['closeStream', schemas.closeStream, decodeCloseStream],
  ['streamFilter', schemas.streamFilter, decodeStreamFilter],
  ['eventDataQuery', schemas.eventDataQuery, decodeEventDataQuery],
  ['parameterFilter', schemas.parameterFilter, decodeParameterFilter],
  ['eventFilter', schemas.eventFilter, decodeEventFilter],
  ['topicFilter', schemas.topicFilter, decodeTopicFilter],
  ['streamDelete', schemas.streamDelete, decodeStreamDelete],
  ['streamRestore', schemas.streamRestore, decodeStreamRestore],
  ['rowDelete', schemas.rowDelete, decodeRowDelete],
  ['topicSettings', schemas.topicSettings, decodeTopicSettings],
  ['tagNamesQuery', schemas.tagNamesQuery, decodeTagNamesQuery],
  ['tagValuesQuery', schemas.tagValuesQuery, decodeTagValuesQuery],
  ['parameterDataQuery', schemas.parameterDataQuery, decodeParameterDataQuery],
  ['tokenRequest', schemas.tokenRequest, decodeTokenRequest],
  ['workspaceRequest', schemas.workspaceRequest, decodeWorkspaceRequest],
  ['workspaceSettings', schemas.workspaceSettings, decodeWorkspaceSettings],
  ['workspaceContents', schemas.workspaceContents, decodeWorkspaceContents],
];

/** A value that the schema allows, with every property that it names. */
function sample(schema: Schema): unknown {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  if (type === 'array') return [sample(schema.items!)];
  if (schema.patternProperties !== undefined)
    return { key: sample(Object.values(schema.patternProperties)[0]!) };
  if (type === 'object') {
    return Object.fromEntries(Object.entries(schema.properties!).map(([name, one]) => [name, sample(one)]));
  }
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (schema.format === 'date-time') return '2030-01-01T00:00:00Z';
  if (schema.contentEncoding === 'base64') return 'AAAA';
  return anyText;
}

/** Good for every text: a name, an age of data. */
const anyText = '30d';

/** Every way to put a property that no one knows into one of the objects of a value. */
function* withUnknown(schema: Schema, value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const inner of withUnknown(schema.items!, value[0])) yield [inner];
  } else if (schema.properties !== undefined) {
    const object = value as Record<string, unknown>;
    yield { ...object, surprise: 1 };
    for (const [name, one] of Object.entries(schema.properties)) {
      for (const inner of withUnknown(one, object[name])) yield { ...object, [name]: inner };
    }
  }
}

function pascal(value: unknown): unknown {
  const object = value as Record<string, unknown>;
  const entries = Object.entries(object).map(([name, one]) => [name[0]!.toUpperCase() + name.slice(1), one]);
  return Object.fromEntries(entries);
}

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

describe('schemas and scanners', () => {
  for (const [name, typed, decode] of pairs) {
    const schema = typed as unknown as Schema;
    const whole = sample(schema);

    it(`${name}: every property of the schema is accepted, in camelCase and PascalCase`, () => {
      decode(bytes(whole));
      decode(bytes(Array.isArray(whole) ? [pascal(whole[0])] : pascal(whole)));
    });

    it(`${name}: what the schema does not have is refused, at every depth`, () => {
      const wrong = [...withUnknown(schema, whole)];
      assert.ok(wrong.length > 0);
      for (const value of wrong) {
        assert.throws(
          () => decode(bytes(value)),
          (error) => error instanceof PitwallError && error.code === 'unknown_property',
          JSON.stringify(value),
        );
      }
    });

    it(`${name}: what the schema requires is missed`, () => {
      const object = (schema.items ?? schema).required ?? [];
      for (const property of object) {
        const { [property]: _, ...rest } = (Array.isArray(whole) ? whole[0] : whole) as Record<
          string,
          unknown
        >;
        assert.throws(
          () => decode(bytes(Array.isArray(whole) ? [rest] : rest)),
          (error) => error instanceof PitwallError && error.code === 'missing_property',
        );
      }
    });
  }
});
