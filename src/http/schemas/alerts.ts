import { eventLevels } from '../../domain/definition.ts';
import { Type } from './json-schema.ts';
import { choice, mapOf, metadataEntries, nanoseconds, object, optional, text, texts } from './shapes.ts';

const duration = (description: string) =>
  Type.String({ description: `${description}; a number with ns, us, ms, s, m, h or d`, examples: ['5s'] });

const ruleStreams = object(
  {
    streamIds: optional(texts('Any of these ids')),
    location: optional(text('Prefix of the location; with a slash at its end only that directory and below')),
    metadata: optional(metadataEntries),
    name: optional(text('Is part of the name; regards case only if it has a capital')),
    parentStreamId: optional(text('Has this parent')),
    search: optional(text('Words in id, name, topic, location and metadata')),
  },
  'Which streams of the topic, as in /streams; all without it',
);

const webhook = object(
  {
    url: Type.String({
      description:
        'http or https, without user, password or fragment; at a host that the operator named with --webhook-allow',
      examples: ['https://hooks.example.com/pitwall'],
    }),
    headers: optional(
      mapOf(text('Printable ASCII'), 'Sent with each message, 20 at most; they may be secrets'),
    ),
  },
  'Who is told of each change over HTTP',
);

const ruleFields = {
  expression: Type.String({
    description: 'Says when it is true, of rows that each stand for themselves',
    examples: ['WaterTemp > 120'],
  }),
  for: optional(duration('It fires when the expression has been true for so long; at once without it')),
  clear: optional(text('Says when what fires is over; without it, when the expression is not true')),
  noDataFor: optional(duration('It fires, too, when a stream has given it no row for so long; from 1s')),
  streams: optional(ruleStreams),
  level: optional(choice(eventLevels, 'Of its events, in any case')),
  text: optional(text('What people are told')),
  webhook: optional(webhook),
};

export const alertRequest = object(ruleFields, 'An alert rule');
export const alertRule = object({ name: text('Its name'), ...ruleFields }, 'An alert rule');
export const alertRuleList = Type.Array(alertRule, { description: 'In order of name' });

export const alertTest = object(
  {
    streamIds: texts('Streams of the topic'),
    from: optional(nanoseconds('The first row, inclusive')),
    to: optional(nanoseconds('The last row, inclusive')),
  },
  'The stored rows to try a rule on',
);

const values = mapOf(
  Type.Unsafe({ type: ['number', 'string'], description: 'A double; "NaN" and infinities as strings' }),
  'The parameters of the rule at that row',
);

export const alertTestAnswer = Type.Array(
  object(
    {
      streamId: text('The stream'),
      state: choice(['firing', 'resolved'], 'What the rule would have said'),
      values,
      timestamp: nanoseconds('The row that made it so'),
    },
    'A change',
  ),
  { description: 'In order of time' },
);

export const alertFilter = object(
  {
    topic: optional(text('The topic, without regard to case')),
    topics: optional(texts('Any of these topics')),
    streamIds: optional(texts('Any of these streams')),
    names: optional(texts('Any of these rules')),
  },
  'Which alerts; all without it',
);

export const alertList = Type.Array(
  object(
    {
      topic: text('Topic of the rule'),
      name: text('The rule'),
      streamId: optional(text('The stream that it fires for')),
      state: choice(
        ['firing', 'failed'],
        'failed: the rule could not be evaluated, left out rows of the future, or its webhook could not be told',
      ),
      noData: optional(Type.Boolean({ description: 'It fires because no rows come' })),
      level: optional(choice(eventLevels, 'Of the rule')),
      text: optional(text('Of the rule')),
      problem: optional(
        text('Why it could not be evaluated, what it left out, or what its webhook was not told'),
      ),
      webhook: optional(
        object(
          {
            waiting: Type.Integer({ description: 'Messages that wait to be sent' }),
            problem: optional(text('Why the last try failed')),
            givenUp: optional(
              Type.Boolean({ description: 'A message was given up since one was delivered' }),
            ),
          },
          'Of a rule with a webhook: what it was not told of this stream',
        ),
      ),
      timestamp: optional(nanoseconds('Since when it fires')),
    },
    'An alert',
  ),
  { description: 'What fires, in order of topic, rule and stream; then what failed' },
);
