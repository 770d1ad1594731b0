import { Type } from './json-schema.ts';
import { object, optional, text, valueNames } from './shapes.ts';

export const calculatedDefinitions = Type.Array(
  object(
    {
      id: text('Its name in queries; no parameter that streams of the topic have written'),
      expression: text(
        'What it is calculated from, as in `calculatedParameters`; it may use others of the topic',
      ),
      name: optional(text('A name for people')),
      description: optional(text('What it is')),
      unit: optional(text('Unit of the values')),
      minimumValue: optional(Type.Number({ description: 'Least value to expect' })),
      maximumValue: optional(Type.Number({ description: 'Largest value to expect' })),
      valueNames: optional(valueNames),
      location: optional(text('Place in a tree of parameters, beginning with /')),
    },
    'A calculated parameter',
  ),
  { description: 'At most 500 of a topic' },
);
