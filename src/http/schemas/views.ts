import { Type } from './json-schema.ts';
import { object, optional, text, texts } from './shapes.ts';

const time = (description: string) => Type.String({ format: 'date-time', description });
const state = Type.Unsafe({ description: 'Any JSON, 64 KiB at most; null without it' });

export const viewRequest = object(
  {
    name: text('What people call it'),
    topic: optional(text('Topic of its streams')),
    streamIds: optional(texts('Ids of its streams, 1,000 at most')),
    state: optional(state),
    id: optional(text('As in the address: what was read may be sent back')),
    createdAt: optional(text('Changes nothing')),
    updatedAt: optional(text('Changes nothing')),
  },
  'A view',
);

export const view = object(
  {
    id: text('What names it in its address'),
    name: text('What people call it'),
    topic: optional(text('Topic of its streams')),
    streamIds: optional(texts('Ids of its streams')),
    state,
    createdAt: time('When it was made'),
    updatedAt: time('When it was changed last'),
  },
  'A view',
);
export const viewList = Type.Array(view);

export const viewsQuery = { topic: Type.String({ description: 'Views of this topic only' }) };

export const shareRequest = object(
  {
    expires: optional(
      time(
        'When it ends: 30 days from now at most, and without it; with the token that makes it, if that is earlier',
      ),
    ),
  },
  'A new share',
);

const shareFields = {
  id: text('What revokes it'),
  topic: text('Topic of the streams that it reads'),
  streamIds: texts('Ids of the streams that it reads: those of the view when it was shared'),
  makerId: text('Id of the token that made it'),
  createdAt: time('When it was made'),
  expires: time('When it ends'),
};
export const shareList = Type.Array(object(shareFields, 'A share, without its token'));
export const createdShare = object(
  {
    ...shareFields,
    token: text('Reads the view and its streams; shown this once'),
    url: text('A link to the explorer, on the address of the service; the token stands in its fragment'),
  },
  'A new share',
);

export const revokedShares = object(
  { revoked: Type.Integer({ minimum: 0, description: 'Number of shares that were revoked' }) },
  'Shares that were revoked',
);
