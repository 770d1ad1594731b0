import { eventLevels } from '../../domain/definition.ts';
import { eventOrderings, parameterOrderings, parameterTypes } from '../../domain/listing.ts';
import { Type } from './json-schema.ts';
import { choice, nanoseconds, object, optional, paging, text, texts, valueNames } from './shapes.ts';

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
      valueNames: optional(valueNames),
      unit: optional(text('Unit of the values')),
      format: optional(text('How to show values')),
      type: choice(
        parameterTypes,
        'What was written; Unknown where nothing was; Calculated where the topic keeps an expression',
      ),
      expression: optional(text('What a calculated one is calculated from')),
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
