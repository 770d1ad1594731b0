import { copiedKinds } from '../../domain/document.ts';
import { scopes } from '../../domain/principal.ts';
import { Type } from './json-schema.ts';
import { age, choice, mapOf, object, optional, text, texts } from './shapes.ts';

export const tokenRequest = object(
  {
    workspace: optional(text('The own workspace without it')),
    scopes: Type.Array(choice(scopes, 'admin includes read and write')),
    name: optional(text('To tell tokens apart')),
    expires: optional(
      Type.String({
        format: 'date-time',
        description: 'Never without it, or with the token that makes it. No later than that one',
      }),
    ),
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

const topicWithRetention = object({ name: text('Name'), retention: optional(age('Of its rows')) }, 'A topic');
const { workspace: _, ...ownTokenFields } = tokenFields;
export const workspaceContents = object(
  {
    tokens: optional(
      Type.Array(
        object(
          {
            ...ownTokenFields,
            hash: Type.String({
              description: 'SHA-256 of the token, in lowercase hex',
              examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
            }),
          },
          'A token as it is stored',
        ),
      ),
    ),
    topics: optional(Type.Array(topicWithRetention)),
    documents: optional(
      Type.Array(
        object(
          {
            kind: choice(copiedKinds, 'What it is'),
            topic: optional(text('The topic that it belongs to')),
            id: text('Its id; of a share the hash of its token'),
            body: text('JSON, as it is stored'),
          },
          'A document that the workspace keeps',
        ),
      ),
    ),
  },
  'What a workspace keeps besides streams and rows',
);

export const runningQueryList = Type.Array(
  object(
    {
      id: text('What ends it'),
      workspace: text('Workspace that it reads'),
      route: text('The call, as its address is documented'),
      query: text('The body of the request; of a long one the beginning'),
      startedAt: Type.String({ format: 'date-time', description: 'When it began' }),
      elapsedSeconds: Type.Number({ minimum: 0, description: 'How long it has run' }),
      rowsRead: Type.Integer({ minimum: 0, description: 'Rows that the store has read for it so far' }),
      bytesAnswered: Type.Integer({
        minimum: 0,
        description: 'Bytes of its answer that were made so far, before they are compressed',
      }),
      tokenId: text('Id of the token that asked'),
      tokenName: optional(text('Name of that token, if it has one')),
    },
    'A query that runs',
  ),
);

export const doorList = Type.Array(
  object(
    {
      door: text('Its name'),
      addresses: Type.Array(text('Where it stands')),
      messages: Type.Integer({ minimum: 0, description: 'Messages that were taken, wholly or in part' }),
      rows: Type.Integer({ minimum: 0, description: 'Rows that they brought' }),
      refused: mapOf(
        Type.Integer({ minimum: 0 }),
        'Messages that were refused, and parts of others, by reason',
      ),
    },
    'A protocol of another program that is spoken here',
  ),
);

export const clock = object(
  {
    time: Type.String({ format: 'date-time', description: "What the machine's clock says" }),
    believed: Type.String({
      format: 'date-time',
      description: 'Rows expire by this time: the same, or an earlier one while the clock is held back',
    }),
    heldBackSeconds: Type.Integer({ minimum: 0, description: 'How far that is behind; 0 if it is believed' }),
    believedInSeconds: optional(
      Type.Integer({ description: 'How long the clock has to stand until it is believed; absent if it is' }),
    ),
  },
  'The clock that the retention of rows goes by',
);

export const health = object(
  {
    status: text('alive or ready'),
    live: optional(
      text('connected or disconnected: the link over which nodes tell each other what is written'),
    ),
    problems: optional(
      texts(
        'What is wrong without stopping writes; who is no admin of the default workspace is told only that something is',
      ),
    ),
  },
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
    detail: text('What came and what was expected'),
    code: text('Stable; listed in docs/errors.md'),
    errors: optional(
      Type.Array(object({ path: text('Where'), message: text('What') }, 'A fault of the input')),
    ),
    requestId: text('Names the request in the log'),
  },
  'RFC 9457',
);

export const replicaState = object(
  {
    node: text('The node that was asked'),
    generation: Type.Integer({ minimum: 1, description: 'How often the log began, anew after each loss' }),
    isStopped: Type.Boolean({
      description: 'Whether it has stopped: the log has lost messages, or has one that it cannot read',
    }),
    sequence: Type.Integer({ minimum: 0, description: 'The last message of the log that it has applied' }),
    behind: Type.Integer({ minimum: 0, description: 'Messages that it has not applied yet' }),
    isCaughtUp: Type.Boolean({ description: 'Whether it takes writes, as far as the log goes' }),
    leaseHolder: optional(text('The node that does what one at a time does')),
    leader: optional(text('The server of NATS that leads the log')),
    servers: Type.Array(
      object(
        { name: text('Its name'), isCurrent: Type.Boolean({ description: 'Whether it has all of the log' }) },
        'A server of NATS that keeps the log',
      ),
    ),
    nodes: Type.Array(
      object(
        {
          node: text('Its name'),
          run: text('Another after each of its starts'),
          sequence: Type.Integer({ minimum: 0, description: 'The last message that it has applied' }),
          isCaughtUp: Type.Boolean({ description: 'Whether it takes writes' }),
          version: Type.Integer({ description: 'The newest version of records that it knows' }),
          heardMs: Type.Integer({ minimum: 0, description: 'How long ago it was heard, ms' }),
        },
        'A node, as the one that was asked has heard of it',
      ),
    ),
    problems: texts('What is wrong; empty if all is well'),
  },
  'Replicas that share a log',
);
