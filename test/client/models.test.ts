import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type * as client from '../../src/client/client.ts';
import { encodeJson } from '../../src/client/encode-json.ts';
import { encodeParameterData } from '../../src/client/parameter-data.ts';
import { models as schemas } from '../../src/http/openapi-schemas.ts';

/**
 * The client's models against the schemas of the service. Each sample has a type in which every property of the
 * model is required, at any depth, so that the compiler insists that all of them are here and no other; the test insists
 * that they are those of the schema, and that the values, as the client sends them, fit it.
 */
type Full<Model> = Model extends bigint | string | number | boolean | null | Uint8Array
  ? Model
  : { readonly [Key in keyof Model]-?: Full<Exclude<Model[Key], undefined>> };

/** The words that a model allows, all of them. */
type Words<Word extends string> = Readonly<Record<Word, true>>;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly patternProperties?: Readonly<Record<string, ObjectSchema>>;
  readonly items?: ObjectSchema;
  readonly enum?: readonly string[];
}

/** Accepted without a meaning, so it is not offered. */
const withoutMeaning = 'locationDeepSearch';

const ordering = [{ by: 'name', direction: 'Asc' }] as const;
const paging = { index: 0, length: 10 };
const definition: Full<client.ParameterDefinition> = {
  id: 'Speed',
  name: 'Speed',
  description: 'of the car',
  minimumValue: 0,
  maximumValue: 400,
  valueNames: { '0': 'PIT' },
  unit: 'km/h',
  format: '0.0',
  customProperties: '{}',
  location: '/car',
};
const eventDefinition: Full<client.EventDefinition> = {
  id: 'pit',
  name: 'Pit stop',
  description: 'in the pit lane',
  customProperties: '{}',
  location: '/car',
  level: 'Information',
};
const properties: Full<client.StreamProperties> = {
  name: 'Lap 7',
  location: '/bahrain',
  metadata: { driver: 'Ada' },
  parents: ['day'],
  timeOfRecording: '2021-02-01T14:51:39Z',
};
const listing: Full<client.DefinitionFilter> = {
  streamIds: ['lap-7'],
  topic: 'cars',
  topics: ['cars'],
  location: '/bahrain',
  name: 'speed',
  description: 'car',
  customProperties: '{}',
  ordering,
  paging,
};
const selection: Full<client.RowSelection> = {
  from: 1n,
  to: 2n,
  streamIds: ['lap-7'],
  topic: 'cars',
  tagFilters: [{ tag: 'lap', operator: 'Equal', value: ['7', 8] }],
};
const requested = [{ parameterName: 'Speed', aggregationType: 'Last' }] as const;
const rows: Full<client.ParameterData> = {
  timestamps: [1n],
  numericValues: { Speed: [Number.NaN] },
  stringValues: { Sector: [null] },
  binaryValues: { Frame: [Uint8Array.of(1)] },
  tagValues: { lap: ['7'] },
};

const samples: readonly (readonly [name: string, schema: TSchema, sample: object])[] = [
  [
    'StreamFilter',
    schemas.streamFilter,
    {
      streamIds: ['lap-7'],
      location: '/bahrain',
      topic: 'cars',
      topics: ['cars'],
      parameterIds: ['Speed'],
      eventIds: ['pit'],
      metadata: [{ key: 'driver', value: 'Ada' }],
      includeStatuses: ['Open'],
      excludeStatuses: ['Closed'],
      name: 'lap',
      parentStreamId: 'day',
      search: 'ada',
      ordering,
      paging,
    } satisfies Full<client.StreamFilter>,
  ],
  [
    'StreamInfo',
    itemsOf(schemas.streams),
    {
      streamId: 'lap-7',
      name: 'Lap 7',
      topic: 'cars',
      createdAt: '2021-02-01T14:51:39Z',
      lastUpdate: '2021-02-01T14:51:39Z',
      timeOfRecording: '2021-02-01T14:51:39Z',
      dataStart: 1n,
      dataEnd: 2n,
      status: 'Open',
      metadata: { driver: 'Ada' },
      parents: ['day'],
      location: '/bahrain',
    } satisfies Full<client.StreamInfo>,
  ],
  ['StreamProperties', schemas.streamProperties, properties],
  ['ParameterDefinition', itemsOf(schemas.parameterDefinitions), definition],
  ['EventDefinition', itemsOf(schemas.eventDefinitions), eventDefinition],
  [
    'ParameterFilter',
    schemas.parameterFilter,
    {
      ...listing,
      parameterIds: ['Speed'],
      unit: 'km/h',
      includeTypes: ['Numeric'],
    } satisfies Full<client.ParameterFilter>,
  ],
  [
    'EventFilter',
    schemas.eventFilter,
    {
      ...listing,
      eventIds: ['pit'],
      includeLevels: ['Error'],
      excludeLevels: ['Trace'],
    } satisfies Full<client.EventFilter>,
  ],
  ['CalculatedDefinition', itemsOf(schemas.calculatedDefinitions), calculatedDefinition()],
  ['ParameterInfo', itemsOf(schemas.parameters), parameterInfo()],
  ['TopicInfo', itemsOf(schemas.topics), topicInfo()],
  [
    'ParameterDataQuery',
    schemas.parameterDataQuery,
    {
      ...selection,
      numericParameters: requested,
      stringParameters: requested,
      binaryParameters: requested,
      calculatedParameters: [{ name: 'Metres', expression: 'Speed / 3.6', aggregationType: 'Mean' }],
      writtenOnly: true,
      groupBy: ['lap'],
      groupByTime: { timeBucketDuration: 1_000_000_000n, interpolationType: 'Previous', lookBack: true },
      limit: 10,
      order: 'Desc',
      cursor: 'abc',
    } satisfies Full<client.ParameterDataQuery>,
  ],
  ['ParameterData', schemas.parameterDataAnswer, encodeParameterData(rows)],
  ['NewParameterData', schemas.parameterData, encodeParameterData(newRows())],
  [
    'EventDataQuery',
    schemas.eventDataQuery,
    {
      ...selection,
      eventIds: ['pit'],
      groupBy: ['lap'],
      aggregation: { aggregationType: 'Count', interval: 60_000_000_000n },
    } satisfies Full<client.EventDataQuery>,
  ],
  [
    'NewEvent',
    itemsOf(schemas.eventData),
    { id: 'pit', timestamp: 1n, value: 'in', tags: { lap: '7' } } satisfies Full<client.NewEvent>,
  ],
  [
    'EventRow',
    itemsOf(valuesOf(property(schemas.eventDataAnswer, 'data'))),
    { timestamp: 1n, value: 'in', tags: { lap: '7' } } satisfies Full<client.EventRow>,
  ],
];

describe("the client's models", () => {
  for (const [name, schema, sample] of samples) {
    it(`are those of the service: ${name}`, () => {
      const sent: unknown = JSON.parse(encodeJson(sample));
      assert.deepEqual([...Value.Errors(schema, sent)], []);
      compareNames(name, schema as ObjectSchema, sent);
    });
  }

  const words: readonly (readonly [name: string, shown: Words<string>, schema: ObjectSchema])[] = [
    ['Status', statusWords(), itemsOf(property(schemas.streamFilter, 'includeStatuses'))],
    ['EndType', endTypeWords(), property(schemas.closeStream, 'endType')],
    ['EventLevel', levelWords(), property(itemsOf(schemas.eventDefinitions), 'level')],
    ['ParameterType', typeWords(), property(itemsOf(schemas.parameters), 'type')],
    ['Direction', directionWords(), property(schemas.parameterDataQuery, 'order')],
    [
      'Aggregation',
      aggregationWords(),
      property(itemsOf(property(schemas.parameterDataQuery, 'numericParameters')), 'aggregationType'),
    ],
    [
      'Interpolation',
      interpolationWords(),
      property(property(schemas.parameterDataQuery, 'groupByTime'), 'interpolationType'),
    ],
    [
      'TagOperator',
      operatorWords(),
      property(itemsOf(property(schemas.parameterDataQuery, 'tagFilters')), 'operator'),
    ],
  ];
  for (const [name, shown, schema] of words) {
    it(`know every word of the service: ${name}`, () => {
      assert.deepEqual(Object.keys(shown).sort(), [...schema.enum!].sort());
    });
  }
});

function compareNames(place: string, schema: ObjectSchema, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) compareNames(`${place}[]`, schema.items ?? {}, item);
    return;
  }
  if (schema.properties === undefined || typeof value !== 'object' || value === null) return;
  const known = Object.keys(schema.properties).filter((name) => name !== withoutMeaning);
  assert.deepEqual(Object.keys(value).sort(), known.sort(), place);
  for (const [name, member] of Object.entries(value)) {
    compareNames(`${place}.${name}`, schema.properties[name]!, member);
  }
}

function itemsOf(schema: TSchema | ObjectSchema): TSchema & ObjectSchema {
  return (schema as ObjectSchema).items as TSchema & ObjectSchema;
}

function valuesOf(schema: ObjectSchema): ObjectSchema {
  return Object.values(schema.patternProperties!)[0]!;
}

function property(schema: TSchema | ObjectSchema, name: string): TSchema & ObjectSchema {
  return (schema as ObjectSchema).properties![name] as TSchema & ObjectSchema;
}

function calculatedDefinition(): Full<client.CalculatedDefinition> {
  const { format: _, customProperties: __, ...rest } = definition;
  return { ...rest, expression: 'Speed / 3.6' };
}

function parameterInfo(): Full<client.ParameterInfo> {
  const { id, ...rest } = definition;
  return { ...rest, parameterId: id, type: 'Numeric', expression: 'Speed', streamIds: ['lap-7'] };
}

function topicInfo(): Full<client.TopicInfo> {
  return { name: 'cars', streams: 1, dataStart: 1n, dataEnd: 2n, lastUpdate: '2021-02-01T14:51:39Z' };
}

function newRows(): Full<client.NewParameterData> {
  return { ...rows, epoch: 5n };
}

function statusWords(): Words<client.Status> {
  return {
    Open: true,
    Interrupted: true,
    Closed: true,
    Aborted: true,
    Terminated: true,
    Idle: true,
    Deleting: true,
    SoftDeleted: true,
  };
}

function endTypeWords(): Words<client.EndType> {
  return { Closed: true, Aborted: true, Terminated: true };
}

function levelWords(): Words<client.EventLevel> {
  return { Trace: true, Debug: true, Information: true, Warning: true, Error: true, Critical: true };
}

function typeWords(): Words<client.ParameterType> {
  return { Numeric: true, String: true, Binary: true, Unknown: true, Calculated: true };
}

function directionWords(): Words<client.Direction> {
  return { Asc: true, Desc: true };
}

function aggregationWords(): Words<client.Aggregation> {
  return {
    None: true,
    Mean: true,
    Max: true,
    Min: true,
    First: true,
    Last: true,
    Sum: true,
    Count: true,
    Median: true,
    Spread: true,
    StdDev: true,
    Mode: true,
    P50: true,
    P90: true,
    P95: true,
    P99: true,
  };
}

function interpolationWords(): Words<client.Interpolation> {
  return { None: true, Linear: true, Null: true, Previous: true, Zero: true };
}

function operatorWords(): Words<client.TagOperator> {
  return { Equal: true, NotEqual: true, Like: true, NotLike: true };
}
