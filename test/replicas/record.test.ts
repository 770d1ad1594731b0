import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags, tagSet } from '../../src/domain/tags.ts';
import { rowsOfEvents } from '../../src/ingest/event-rows.ts';
import {
  changesOf,
  decodeRecord,
  encodeRecord,
  type LogRecord,
  recordVersion,
  writeRecord,
} from '../../src/replicas/record.ts';

const rows = {
  count: 3,
  base: -5n,
  offsets: Float64Array.of(0, 2 ** 52, 7),
  tagSets: [noTags, tagSet([['lap', '1']])],
  tagIndex: Uint32Array.of(0, 1, 0),
  columns: [
    { kind: 0, name: 'Speed', values: Float64Array.of(-0, 0.1, 2 ** 60), present: undefined },
    {
      kind: 1,
      name: 'Text',
      bytes: Buffer.from('aé'),
      ends: Uint32Array.of(1, 1, 3),
      present: Uint8Array.of(5),
    },
  ],
} as const;
const events = [{ id: 'Lap', timestamp: 2n ** 62n, value: '{"n":1}', tags: noTags }];

const announcements = [
  { topic: 't', streamId: 's', bytes: 33.5, content: { type: 'parameterData', rows: [rows] } },
  { topic: 't', streamId: 's', bytes: 10, content: { type: 'eventData', events } },
  {
    topic: 't',
    streamId: 'q',
    bytes: 0,
    quiet: true,
    content: { type: 'eventDefinitions', definitions: [{ id: 'Lap' }] },
  },
  { topic: 'T', streamId: 's', bytes: 1, content: { type: 'stream', properties: undefined } },
  { topic: 't', streamId: 's', bytes: 1, content: { type: 'close', endType: 'Closed' } },
] as const;

const others: readonly LogRecord[] = [
  { type: 'append', workspace: 'w', changes: [{ type: 'topic', topic: 't', retention: 2n ** 60n }] },
  { type: 'streams', workspace: 'w', action: 'softDelete', filter: { streamIds: ['a'] }, now: 5 },
  {
    type: 'rows',
    selection: {
      workspace: 'w',
      streamIds: undefined,
      topic: 't',
      from: -(2n ** 63n),
      to: 2n ** 63n - 1n,
      tagFilters: [],
    },
    parameters: [{ kind: 0, name: 'a' }],
  },
  { type: 'lease', node: 'n', after: 7 },
  { type: 'found', node: 'n', base: 'b' },
];

describe('records of the log', () => {
  it('are the same, to the bit, when they are read', () => {
    const changes = [
      ...announcements
        .slice(0, 1)
        .map(() => ({ type: 'rows', topic: 't', streamId: 's', rows: [rows] }) as const),
      { type: 'topic', topic: 't', retention: 3n } as const,
    ];
    const record = writeRecord('w', changes, announcements.slice(0, 1));
    const read = decodeRecord(encodeRecord(record)) as typeof record;
    assert.deepEqual(read.announcements[0]!.content.type, 'parameterData');
    assert.deepEqual(changesOf(read)[1], changes[1]);
    const [change] = changesOf(read);
    assert.ok(change!.type === 'rows');
    const back = change.rows[0]!;
    assert.equal(back.base, rows.base);
    assert.deepEqual([...back.offsets], [...rows.offsets]);
    assert.deepEqual([...back.tagIndex!], [...rows.tagIndex]);
    const [speed, text] = back.columns;
    assert.ok(speed?.kind === 0 && Object.is(speed.values[0], -0));
    assert.ok(text?.kind === 1 && Buffer.from(text.bytes).toString() === 'aé');
    for (const other of others) assert.deepEqual(decodeRecord(encodeRecord(other)), asKept(other));
  });

  it('say in what they change all that clients say', () => {
    const record = writeRecord('w', [], announcements);
    const made = changesOf(decodeRecord(encodeRecord(record)) as typeof record);
    assert.deepEqual(
      made.map(({ type }) => type),
      ['rows', 'rows', 'eventDefinitions', 'stream', 'close'],
    );
    assert.ok('quiet' in made[2]! && made[2].quiet === true);
    assert.ok(made[1]!.type === 'rows');
    assert.equal(made[1].rows[0]!.base, rowsOfEvents(events)[0]!.base);
  });

  it('of version 1 are written as they are by every release: other bytes are another version', () => {
    const written = encodeRecord(writeRecord('w', [], announcements));
    assert.deepEqual(written.toString('base64').match(/.{1,100}/g), [
      'AQEBdwUBdAFzAAAAAADAQEAAAAED+/////////8EAAAAAAAAgFkAAOBAAgJbXQ1bWyJsYXAiLCIxIl1dAQABAAIABVNwZWVkAAUA',
      'AAAAAAAAgJqZmZmZmbk/AAAAAAAAsEMBBFRleHQBBQEBAAJhw6kBdAFzAAAAAAAAJEAAAQEDTGFwAAAAAAAAAEAHeyJuIjoxfQJb',
      'XQF0AXEAAAAAAAAAAAEDDlt7ImlkIjoiTGFwIn1dAVQBcwAAAAAAAPA/AAQEbnVsbAF0AXMAAAAAAADwPwAFBkNsb3NlZAJbXQ==',
    ]);
  });

  it('of a newer version are told from damage', () => {
    const bytes = encodeRecord({ type: 'found', node: 'n', base: 'b' });
    bytes[0] = recordVersion + 1;
    assert.throws(() => decodeRecord(bytes), /of version 2/);
    assert.throws(() => decodeRecord(bytes.subarray(0, 1)), /of version 2/);
    assert.throws(() => decodeRecord(Buffer.of(recordVersion)), RangeError);
  });

  it('of a kind that this release does not know are refused, also where their version is not newer', () => {
    const changes = [{ type: 'later' }] as never;
    for (const later of [
      { type: 'later' } as never,
      { type: 'append', workspace: 'w', changes },
      { type: 'write', workspace: 'w', announcements: [], more: changes },
      { type: 'streams', workspace: 'w', action: 'later' as never, filter: {}, now: 0 },
    ] satisfies LogRecord[])
      assert.throws(() => decodeRecord(encodeRecord(later)), /'later' is not known/);
  });
});

/** A record as JSON keeps it: without what is undefined. */
function asKept(record: LogRecord): LogRecord {
  if (record.type !== 'rows') return record;
  const { streamIds: _none, ...selection } = record.selection;
  return { ...record, selection: selection as typeof record.selection };
}
