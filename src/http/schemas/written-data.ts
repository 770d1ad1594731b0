import { eventLevels } from '../../domain/definition.ts';
import { Type } from './json-schema.ts';
import {
  base64OrNull,
  choice,
  mapOf,
  nanoseconds,
  number,
  object,
  optional,
  text,
  textOrNull,
  valueNames,
} from './shapes.ts';

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
      valueNames: optional(valueNames),
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
