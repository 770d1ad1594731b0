import {
  type Aggregation,
  aggregations,
  interpolations,
  tagOperators,
  textAggregations,
} from '../../domain/query.ts';
import { Type } from './json-schema.ts';
import {
  age,
  base64OrNull,
  choice,
  mapOf,
  nanoseconds,
  number,
  object,
  optional,
  text,
  textOrNull,
  texts,
} from './shapes.ts';

const bucketLength = (description: string) =>
  Type.Unsafe({
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
      value: Type.Unsafe({
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
            Type.Unsafe({
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
    calculatedParameters: optional(
      Type.Array(
        object(
          {
            name: text('Name of the column; no other column has it'),
            expression: Type.String({
              examples: ['Speed / 3.6'],
              description: 'What is calculated from numeric parameters of the row, or along the stream',
            }),
            aggregationType: optional(
              Type.Unsafe({
                type: 'string',
                enum: [...aggregations],
                examples: ['Mean'],
                description: 'In any case; None without it. Either all parameters have one or none has',
              }),
            ),
          },
          'A column that is calculated from numeric parameters, row by row, before anything is aggregated',
        ),
        { description: 'Calculated columns, at most 100; they stand in `numericValues`' },
      ),
    ),
    writtenOnly: optional(
      Type.Boolean({
        description: 'Names stand for what was written only, also where a topic calculates them',
      }),
    ),
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
          lookBack: optional(
            Type.Boolean({
              description: 'With Previous: whether the last value before `from` counts too; false without it',
              examples: [false],
            }),
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

/** Which rows are asked about tags. */
const taggedRows = {
  from: optional(nanoseconds('First time, inclusive')),
  to: optional(nanoseconds('Last time, inclusive')),
  streamIds: optional(texts('Streams to look at; all without it')),
  topic: optional(text('Topic to look at, without regard to case')),
};

export const tagNamesQuery = object(taggedRows, 'On which rows');

export const tagNames = Type.Array(
  Type.Object({
    name: text('Name of the tag'),
    values: Type.Integer({ minimum: 1, maximum: 1000, description: 'Distinct values, counted up to 1,000' }),
    first: text('The first of these values in order of text'),
    last: text('The last of them'),
  }),
  { description: 'In order of text' },
);

export const tagValuesQuery = object(
  { tag: text('Name of the tag'), ...taggedRows },
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
            value: Type.Unsafe({
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
