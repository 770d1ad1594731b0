import { endTypes, statuses } from '../../domain/stream.ts';
import { Type } from './json-schema.ts';
import {
  choice,
  mapOf,
  metadataEntries,
  nanoseconds,
  object,
  optional,
  paging,
  text,
  texts,
} from './shapes.ts';

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

const selectionFields = {
  streamIds: optional(texts('Any of these ids')),
  location: optional(text('Prefix of the location; with a slash at its end only that directory and below')),
  topic: optional(text('The topic, without regard to case')),
  topics: optional(texts('Any of these topics')),
  parameterIds: optional(texts('Has data of any of these parameters')),
  eventIds: optional(texts('Has data of any of these events')),
  metadata: optional(metadataEntries),
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
