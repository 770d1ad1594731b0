import { type TSchema, Type } from 'typebox';
import { eventLevels } from '../domain/definition.ts';
import { eventOrderings, parameterOrderings, parameterTypes } from '../domain/listing.ts';
import { scopes } from '../domain/principal.ts';
import { type Aggregation, aggregations, interpolations, tagOperators } from '../domain/query.ts';
import { endTypes, statuses } from '../domain/stream.ts';

/**
 * The models of the contract as JSON Schema, for `/openapi.json`. The byte scanners of wire/ are what validates;
 * a test holds each schema against its scanner. Names are given in camelCase; PascalCase is accepted too.
 */
const text = (description: string) => Type.String({ description });
const texts = (description: string) => Type.Array(Type.String(), { description });
const mapOf = (value: TSchema, description: string) => Type.Record(Type.String(), value, { description });
const choice = (words: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...words], description });
const object = (properties: Record<string, TSchema>, description: string) =>
  Type.Object(properties, { description, additionalProperties: false });
const optional = Type.Optional;

const age = (description: string) =>
  Type.String({ description: `${description}; digits and one of s m h d w y`, examples: ['30d'] });

const nanoseconds = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    format: 'int64',
    description: `${description}; nanoseconds since the Unix epoch, exact, also as a string of digits`,
  });
const number = Type.Unsafe<number | string>({
  type: ['number', 'string', 'null'],
  description: 'A double; "NaN", "Infinity" and "-Infinity" as strings; null is no value',
});
const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null is no value' });
const base64OrNull = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  contentEncoding: 'base64',
  description: 'null is no value',
});

const parameterDataFields = {
  epoch: optional(nanoseconds('Added to every timestamp; 0 without it')),
  timestamps: Type.Array(nanoseconds('Time of a row'), { description: 'One per row, in any order' }),
  numericValues: optional(mapOf(Type.Array(number), 'Parameter name to one number per timestamp')),
  stringValues: optional(mapOf(Type.Array(textOrNull), 'Parameter name to one string per timestamp')),
  binaryValues: optional(
    mapOf(Type.Array(base64OrNull), 'Parameter name to one base64 string per timestamp'),
  ),
  tagValues: optional(mapOf(Type.Array(textOrNull), 'Tag name to one string per timestamp')),
};

export const parameterData = object(parameterDataFields, 'Parameter data of one stream');

export const parameterDataBatch = Type.Array(
  object({ streamId: text('Stream to write to'), ...parameterDataFields }, 'Parameter data and its stream'),
  { description: 'Applied whole or not at all' },
);

export const eventData = Type.Array(
  object(
    {
      id: text('Id of the event'),
      timestamp: nanoseconds('When it happened'),
      value: optional(text('Free text; empty without it')),
      tags: optional(mapOf(Type.String(), 'Tags of the event')),
    },
    'An event; with the same id, time and tags it replaces the one before',
  ),
  { description: 'Events of one stream; a single event instead of the array is accepted too' },
);

export const eventValue = text('The value of the event, as it is');

export const timestampQuery = {
  timestamp: optional(nanoseconds('When it happened; now without it')),
};

const definitionFields = {
  id: text('Id of the parameter or event'),
  name: optional(text('A name for people')),
  description: optional(text('What it is')),
  customProperties: optional(text('Free text')),
  location: optional(text('Place in a tree, beginning with /')),
};

export const parameterDefinitions = Type.Array(
  object(
    {
      ...definitionFields,
      minimumValue: optional(Type.Number({ description: 'Least value to expect' })),
      maximumValue: optional(Type.Number({ description: 'Largest value to expect' })),
      unit: optional(text('Unit of the values')),
      format: optional(text('How to show values')),
    },
    'A parameter',
  ),
  { description: 'Merged into those of the stream: a field that is left out stays as it is' },
);

export const eventDefinitions = Type.Array(
  object(
    { ...definitionFields, level: optional(choice(eventLevels, 'How bad it is, in any case')) },
    'An event',
  ),
  { description: 'Merged into those of the stream: a field that is left out stays as it is' },
);

const streamFields = {
  name: optional(text('The stream id without it')),
  location: optional(text('Place in the hierarchy, beginning with /')),
  metadata: optional(mapOf(Type.String(), 'Free pairs of text')),
  parents: optional(texts('Ids of parent streams')),
  timeOfRecording: optional(Type.String({ format: 'date-time', description: 'When the recording was made' })),
};

export const streamProperties = object(streamFields, 'Replaces all properties of the stream');

export const createStream = object(
  { streamId: optional(text('Chosen by the client; a new UUID without it')), ...streamFields },
  'A new stream',
);

export const createdStream = object({ streamId: text('Id of the stream') }, 'The stream');

export const closeStream = object(
  { endType: optional(choice(endTypes, 'Closed without it')) },
  'How the stream ends',
);

const paging = object(
  {
    index: optional(Type.Integer({ minimum: 0, description: 'Number of the page, from 0' })),
    length: Type.Integer({ minimum: 1, description: 'Entries of a page' }),
  },
  'Page number from 0, and page size',
);

const selectionFields = {
  streamIds: optional(texts('Any of these ids')),
  location: optional(text('Prefix of the location; with a slash at its end only that directory and below')),
  topic: optional(text('The topic, without regard to case')),
  topics: optional(texts('Any of these topics')),
  parameterIds: optional(texts('Has data of any of these parameters')),
  eventIds: optional(texts('Has data of any of these events')),
  metadata: optional(
    Type.Array(
      object({ key: optional(text('Exact key')), value: optional(text('Exact value')) }, 'One entry'),
    ),
  ),
  includeStatuses: optional(Type.Array(choice(statuses, 'A status, in any case'))),
  excludeStatuses: optional(Type.Array(choice(statuses, 'A status, in any case'))),
  name: optional(text('Is part of the name; regards case only if it has a capital')),
  parentStreamId: optional(text('Has this parent')),
  search: optional(text('Words in id, name, topic, location and metadata')),
};

export const streamFilter = object(
  {
    ...selectionFields,
    ordering: optional(
      Type.Array(
        object(
          {
            by: Type.String({
              description: 'A scalar field of a stream, or metadata.<key>',
              examples: ['dataStart'],
            }),
            direction: optional(choice(['Asc', 'Desc'], 'In any case; Asc without it')),
          },
          'One property to order by',
        ),
      ),
    ),
    paging: optional(paging),
    locationDeepSearch: optional(Type.Boolean({ description: 'Accepted without a meaning' })),
  },
  'Which streams; fields combine with AND, entries of one array with OR',
);

export const streamDelete = object(
  {
    ...selectionFields,
    hardDelete: optional(
      Type.Boolean({ description: 'Remove the streams and their data for good; false without it' }),
    ),
  },
  'Which streams; at least one field that selects, no empty arrays and texts',
);

export const deletedStreams = object(
  { deleted: Type.Integer({ description: 'How many streams were deleted' }) },
  'What was done',
);

export const streamRestore = object(
  selectionFields,
  'Which streams, of the soft-deleted ones; at least one field that selects, no empty arrays and texts',
);

export const restoredStreams = object(
  { restored: Type.Integer({ description: 'How many streams were restored' }) },
  'What was done',
);

const shownStreamFields = {
  streamId: text('Id'),
  name: text('Name'),
  topic: text('Topic'),
  createdAt: Type.String({ format: 'date-time', description: 'When it was made' }),
  lastUpdate: Type.String({ format: 'date-time', description: 'When it was last written to' }),
  timeOfRecording: optional(Type.String({ format: 'date-time', description: 'When the recording was made' })),
  dataStart: optional(nanoseconds('Time of the first row')),
  dataEnd: optional(nanoseconds('Time of the last row')),
  status: choice(statuses, 'Status'),
  metadata: mapOf(Type.String(), 'Free pairs of text'),
  parents: texts('Ids of parent streams'),
  location: text('Place in the hierarchy'),
};

export const streams = Type.Array(object(shownStreamFields, 'A stream'));

export const streamModels = Type.Array(
  object(
    {
      ...shownStreamFields,
      children: Type.Array(Type.Unknown({ description: 'A stream of the same form' }), {
        description: 'Streams whose parent this is; each stream stands once in the whole answer',
      }),
    },
    'A stream and what is below it',
  ),
);

const listingFields = {
  streamIds: optional(texts('Of any of these streams')),
  topic: optional(text('Of streams of this topic, without regard to case')),
  topics: optional(texts('Of streams of any of these topics')),
  location: optional(text('Of streams at this location; a prefix, as for streams')),
  name: optional(text('Is part of the name; regards case only if it has a capital')),
  description: optional(text('Is part of the description, as for the name')),
  customProperties: optional(text('Is part of the custom properties, as for the name')),
  paging: optional(paging),
  locationDeepSearch: optional(Type.Boolean({ description: 'Accepted without a meaning' })),
};

const orderingBy = (fields: readonly string[]) =>
  optional(
    Type.Array(
      object(
        {
          by: choice(fields, 'A field of the answer'),
          direction: optional(choice(['Asc', 'Desc'], 'Asc without it')),
        },
        'One property to order by',
      ),
    ),
  );

export const parameterFilter = object(
  {
    ...listingFields,
    parameterIds: optional(texts('Any of these ids')),
    unit: optional(text('Is part of the unit, as for the name')),
    includeTypes: optional(
      Type.Array(choice(parameterTypes, 'In any case; Unknown is defined and was never written')),
    ),
    ordering: orderingBy(parameterOrderings),
  },
  'Which parameters; fields combine with AND, entries of one array with OR',
);

export const eventFilter = object(
  {
    ...listingFields,
    eventIds: optional(texts('Any of these ids')),
    includeLevels: optional(Type.Array(choice(eventLevels, 'In any case'))),
    excludeLevels: optional(Type.Array(choice(eventLevels, 'In any case'))),
    ordering: orderingBy(eventOrderings),
  },
  'Which events; fields combine with AND, entries of one array with OR',
);

const listedFields = {
  name: text('A name for people; the id where nobody gave one'),
  description: optional(text('What it is')),
  customProperties: optional(text('Free text')),
  location: optional(text('Place in a tree, beginning with /')),
  streamIds: texts('The streams that agree in all of this'),
};

export const parameters = Type.Array(
  object(
    {
      parameterId: text('Id of the parameter'),
      ...listedFields,
      minimumValue: optional(Type.Number({ description: 'Least value to expect' })),
      maximumValue: optional(Type.Number({ description: 'Largest value to expect' })),
      unit: optional(text('Unit of the values')),
      format: optional(text('How to show values')),
      type: choice(parameterTypes, 'What was written; Unknown where nothing was'),
    },
    'A parameter, once for each of its types and definitions',
  ),
);

export const events = Type.Array(
  object(
    { id: text('Id of the event'), ...listedFields, level: optional(choice(eventLevels, 'How bad it is')) },
    'An event, once for each of its definitions',
  ),
);

export const topicFilter = object({}, 'An empty object, or no body: every topic is listed');

export const topics = Type.Array(
  object(
    {
      name: text('Name, as it was first spelt'),
      streams: Type.Integer({ description: 'How many streams it has, soft-deleted ones left out' }),
      dataStart: optional(nanoseconds('Time of the first row')),
      dataEnd: optional(nanoseconds('Time of the last row')),
      lastUpdate: optional(
        Type.String({ format: 'date-time', description: 'Last write to any of its streams' }),
      ),
    },
    'A topic',
  ),
);

/** What strings and binaries can become. */
const textAggregations: readonly Aggregation[] = ['None', 'First', 'Last', 'Count'];

const bucketLength = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    format: 'int64',
    minimum: 1,
    description: `${description}; nanoseconds, also as a string of digits`,
  });

const tagFilters = Type.Array(
  object(
    {
      tag: text('Name of a tag'),
      operator: optional(
        choice(
          tagOperators,
          'In any case; Equal without it. Like and NotLike search for a regular expression',
        ),
      ),
      value: Type.Unsafe<unknown>({
        type: ['string', 'number', 'array'],
        items: { type: ['string', 'number'] },
        description:
          'A text, a number, or several of them: Equal and Like match any of these, NotEqual and NotLike none',
      }),
    },
    'A condition on a tag; a row without the tag is NotEqual and NotLike to every value',
  ),
  { description: 'All of these must hold' },
);

const requested = (kind: string, allowed: readonly Aggregation[]) =>
  optional(
    Type.Array(
      object(
        {
          parameterName: text(`Name of a ${kind} parameter`),
          aggregationType: optional(
            Type.Unsafe<string>({
              type: 'string',
              enum: [...allowed],
              examples: ['Last'],
              description: 'In any case; None without it. Either all parameters have one or none has',
            }),
          ),
        },
        'A column of the answer; with an aggregation it is called like `mean(Speed)`',
      ),
      { description: `Columns of ${kind} parameters` },
    ),
  );

export const parameterDataQuery = object(
  {
    numericParameters: requested('numeric', aggregations),
    stringParameters: requested('string', textAggregations),
    binaryParameters: requested('binary', textAggregations),
    from: optional(nanoseconds('First time, inclusive')),
    to: optional(nanoseconds('Last time, inclusive')),
    streamIds: optional(texts('Streams to read; all without it')),
    topic: optional(text('Topic to read, without regard to case')),
    tagFilters: optional(tagFilters),
    groupBy: optional(texts('Tags to show with each row, or to aggregate by; streamId and topic work too')),
    groupByTime: optional(
      object(
        {
          timeBucketDuration: bucketLength('Length of a bucket'),
          interpolationType: optional(
            choice(
              interpolations,
              'What buckets without data show, in any case; None, without it, leaves them out',
            ),
          ),
        },
        'Buckets of time, aligned to the Unix epoch; needs an aggregation on every parameter',
      ),
    ),
    limit: optional(Type.Integer({ minimum: 1, description: 'Most rows to answer' })),
    order: optional(choice(['Asc', 'Desc'], 'Order by time, in any case; Asc without it')),
    cursor: optional(text('Where to go on: the header Pitwall-Next-Cursor of the page before')),
  },
  'Which rows and columns; at least one parameter',
);

export const parameterDataAnswer = object(
  {
    timestamps: Type.Array(nanoseconds('Time of a row')),
    numericValues: mapOf(Type.Array(number), 'Parameter name to one number per row'),
    stringValues: mapOf(Type.Array(textOrNull), 'Parameter name to one string per row'),
    binaryValues: mapOf(Type.Array(base64OrNull), 'Parameter name to one base64 string per row'),
    tagValues: mapOf(Type.Array(textOrNull), 'The tags of groupBy to one string per row'),
  },
  'Rows, column by column',
);

const parameterName = (kind: string) =>
  optional(
    Type.Array(object({ parameterName: text(`Name of a ${kind} parameter`) }, 'A parameter to delete')),
  );

export const rowDelete = object(
  {
    streamIds: optional(texts('Streams that lose rows; this or topic is needed')),
    topic: optional(text('Topic whose streams lose rows, without regard to case')),
    from: nanoseconds('First time, inclusive'),
    to: nanoseconds('Last time, inclusive'),
    numericParameters: parameterName('numeric'),
    stringParameters: parameterName('string'),
    binaryParameters: parameterName('binary'),
    tagFilters: optional(tagFilters),
  },
  'Which rows lose their values: of the named parameters, or of all where none is named',
);

export const topicSettings = object(
  { retention: optional(age('Rows whose time is further back are not kept; without it all are')) },
  'Settings of a topic, replaced as a whole',
);

export const tagValuesQuery = object(
  {
    tag: text('Name of the tag'),
    from: optional(nanoseconds('First time, inclusive')),
    to: optional(nanoseconds('Last time, inclusive')),
    streamIds: optional(texts('Streams to look at; all without it')),
    topic: optional(text('Topic to look at, without regard to case')),
  },
  'Which tag, on which rows',
);

export const tagValues = texts('Distinct, in order of text');

export const deletedRows = object(
  { deleted: Type.Integer({ minimum: 0, description: 'How many' }) },
  'Rows that lost a value',
);

export const eventDataQuery = object(
  {
    eventIds: optional(texts('Events to read; all of the selected streams without it')),
    from: optional(nanoseconds('First time, inclusive')),
    to: optional(nanoseconds('Last time, inclusive')),
    streamIds: optional(texts('Streams to read; all without it')),
    topic: optional(text('Topic to read, without regard to case')),
    tagFilters: optional(tagFilters),
    groupBy: optional(texts('Tags to show, and to group by; streamId and topic work too')),
    aggregation: optional(
      object(
        {
          aggregationType: choice(['First', 'Last', 'Count', 'None'], 'In any case'),
          interval: optional(bucketLength('Length of a bucket; without it all is in one')),
        },
        'What events of one id and group become',
      ),
    ),
  },
  'Which events',
);

export const eventDataAnswer = object(
  {
    data: mapOf(
      Type.Array(
        object(
          {
            timestamp: nanoseconds('When it happened, or where its bucket begins'),
            value: Type.Unsafe<string | number>({
              type: ['string', 'number'],
              description: 'The value of the event, or how many there are',
            }),
            tags: mapOf(Type.String(), 'Tags of the event, or those of groupBy'),
          },
          'An event',
        ),
      ),
      'Event id to its events in order of time',
    ),
  },
  'Events by id',
);

export const int64Query = {
  int64: optional(
    choice(['number', 'string'], 'How timestamps are written: as digits (the default) or as strings'),
  ),
};

export const tokenRequest = object(
  {
    workspace: optional(text('The own workspace without it')),
    scopes: Type.Array(choice(scopes, 'admin includes read and write')),
    name: optional(text('To tell tokens apart')),
    expires: optional(Type.String({ format: 'date-time', description: 'Never without it' })),
  },
  'A new token',
);

const tokenFields = {
  id: text('What revokes it'),
  workspace: text('Workspace it belongs to'),
  scopes: Type.Array(choice(scopes, 'admin includes read and write')),
  name: optional(text('To tell tokens apart')),
  createdAt: Type.String({ format: 'date-time', description: 'When it was made' }),
  expires: optional(Type.String({ format: 'date-time', description: 'When it ends; never without it' })),
};

export const tokenList = Type.Array(object(tokenFields, 'A token, without the token itself'));
export const createdToken = object({ token: text('Shown this once'), ...tokenFields }, 'A new token');

const settingsFields = {
  retention: optional(age('Rows whose time is further back are not kept; a shorter one of a topic wins')),
  maxStreams: optional(Type.Integer({ minimum: 1, description: 'Most streams; no limit without it' })),
  maxBytes: optional(
    Type.Integer({ minimum: 1, description: 'Most bytes that rows may take; no limit without it' }),
  ),
};
export const workspaceSettings = object(settingsFields, 'Settings of a workspace');
export const workspaceRequest = object(
  { name: text('Lowercase letters, digits and hyphens'), ...settingsFields },
  'A workspace',
);

export const workspace = object(
  {
    name: text('Name'),
    createdAt: Type.String({ format: 'date-time', description: 'When it was made' }),
    ...settingsFields,
  },
  'A workspace',
);
export const workspaceList = Type.Array(workspace);

export const health = object(
  { status: text('alive or ready'), problems: optional(texts('What is wrong without stopping writes')) },
  'State of the service',
);

export const openApiDocument = Type.Object({}, { description: 'OpenAPI 3.1', additionalProperties: true });

export const problem = object(
  {
    type: Type.String({
      format: 'uri-reference',
      description: 'The kind of problem: urn:pitwall:error:<code>',
    }),
    title: text('What kind of problem it is'),
    status: Type.Integer({ description: 'The HTTP status' }),
    detail: optional(text('What came and what was expected')),
    code: text('Stable; listed in docs/errors.md'),
    errors: optional(
      Type.Array(object({ path: text('Where'), message: text('What') }, 'A fault of the input')),
    ),
    requestId: text('Names the request in the log'),
  },
  'RFC 9457',
);
