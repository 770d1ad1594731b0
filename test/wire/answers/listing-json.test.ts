import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlacedStream } from '../../../src/domain/listing.ts';
import {
  encodeEvents,
  encodeParameters,
  encodeTopics,
  sizeOfStreamIds,
} from '../../../src/wire/answers/listing-json.ts';
import { encodeStreamModels } from '../../../src/wire/answers/stream-json.ts';
import {
  decodeEventFilter,
  decodeParameterFilter,
  decodeTopicFilter,
} from '../../../src/wire/requests/listing-filter.ts';
import { assertFault, bytesOf } from '../faults.ts';

const textOf = (chunks: Iterable<Uint8Array>): string => Buffer.concat([...chunks]).toString();

describe('the answers of listings', () => {
  it('of parameters and events are arrays, each entry with what is known', () => {
    const streamIds = ['a', '"b"'];
    const parameters = [
      { id: 'speed', name: 'Speed', minimumValue: 0.5, unit: 'km/h', type: 'Numeric', streamIds } as const,
      { id: 'é', name: 'é', type: 'Unknown', streamIds } as const,
      { id: 'x', name: 'x', type: 'String', streamIds: [] } as const,
    ];
    assert.deepEqual(JSON.parse(textOf(encodeParameters(parameters))), [
      { parameterId: 'speed', name: 'Speed', minimumValue: 0.5, unit: 'km/h', type: 'Numeric', streamIds },
      { parameterId: 'é', name: 'é', type: 'Unknown', streamIds },
      { parameterId: 'x', name: 'x', type: 'String', streamIds: [] },
    ]);
    const events = [{ id: 'e', name: 'E', level: 'Error', streamIds } as const];
    assert.deepEqual(JSON.parse(textOf(encodeEvents(events))), events);
    assert.deepEqual([textOf(encodeParameters([])), textOf(encodeEvents([]))], ['[]', '[]']);
    assert.equal(sizeOfStreamIds(parameters), 2 * (4 + 6));
  });

  it('of very many come in few pieces, and long lists of streams stand in memory once', () => {
    const few = ['a'];
    const many = Array.from({ length: 5000 }, (_, i) => `é${i}`);
    const parameters = Array.from({ length: 20_000 }, (_, i) => {
      return {
        id: `p${i}`,
        name: `p${i}`,
        type: 'Unknown',
        streamIds: i % 1000 === 999 ? many : few,
      } as const;
    });
    const chunks = [...encodeParameters(parameters)];
    assert.ok(chunks.length < 100, String(chunks.length));
    assert.deepEqual(
      JSON.parse(textOf(chunks)),
      parameters.map(({ id, ...rest }) => ({ parameterId: id, ...rest })),
    );
    const twice = parameters.slice(999, 1000).concat(parameters.slice(1999, 2000));
    const lists = [...encodeParameters(twice)].filter(({ length }) => length > 8192);
    assert.deepEqual([lists.length, lists[0] === lists[1]], [2, true]);
  });

  it('of topics have exact times, as strings where asked for', () => {
    const topics = [
      { name: 'a"', streams: 2, dataStart: -(2n ** 63n), dataEnd: 2n ** 53n + 1n, lastUpdate: 0 },
      { name: 'b', streams: 0, dataStart: undefined, dataEnd: undefined, lastUpdate: undefined },
    ];
    assert.equal(
      encodeTopics(topics, { int64AsString: false }),
      '[{"name":"a\\"","streams":2,"dataStart":-9223372036854775808,"dataEnd":9007199254740993,"lastUpdate":"1970-01-01T00:00:00.000Z"},{"name":"b","streams":0}]',
    );
    assert.match(encodeTopics(topics, { int64AsString: true }), /"dataStart":"-9223372036854775808"/);
    assert.equal(encodeTopics([], { int64AsString: false }), '[]');
  });

  it('of models nest each stream below its parent', () => {
    const placed = (streamId: string, depth: number): PlacedStream => ({
      stream: {
        streamId,
        name: streamId,
        topic: 't',
        createdAt: 0,
        lastUpdate: 0,
        timeOfRecording: undefined,
        dataStart: 1n,
        dataEnd: 2n ** 53n + 1n,
        status: 'Open',
        metadata: {},
        parents: [],
        location: '/',
      },
      depth,
    });
    interface Model {
      readonly streamId: string;
      readonly children: readonly Model[];
    }
    const drawn = (models: readonly Model[]): string =>
      models.map(({ streamId, children }) => `${streamId}(${drawn(children)})`).join('');
    const encode = (...streams: PlacedStream[]) =>
      textOf(encodeStreamModels(streams, { int64AsString: false }));
    assert.equal(encode(), '[]');
    const depths: [string, number][] = [
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 2],
      ['e', 1],
      ['f', 0],
      ['g', 1],
      ['h', 0],
    ];
    const text = encode(...depths.map(([id, depth]) => placed(id, depth)));
    assert.equal(drawn(JSON.parse(text) as Model[]), 'a(b(c()d())e())f(g())h()');
    assert.match(text, /"dataEnd":9007199254740993,/);
    const deep = encode(...Array.from({ length: 2000 }, (_, i) => placed(`s${i}`, i)), placed('last', 3));
    assert.equal(
      drawn((JSON.parse(deep) as Model[])[0]!.children[0]!.children[0]!.children.slice(1)),
      'last()',
    );
  });
});

describe('the filters of listings', () => {
  it('take every field in both spellings, and empty ones for absent', () => {
    const common = {
      streamIds: ['a'],
      topic: 't',
      topics: ['u'],
      location: '/l',
      name: 'n',
      description: 'd',
      customProperties: 'c',
      paging: { index: 1, length: 2 },
    };
    const parameters = {
      ...common,
      parameterIds: ['p'],
      unit: 'u',
      includeTypes: ['Numeric', 'Unknown'],
      ordering: [{ by: 'parameterId', direction: 'Desc' }],
    };
    assert.deepEqual(decodeParameterFilter(bytesOf(JSON.stringify(parameters))), parameters);
    const events = {
      ...common,
      eventIds: ['e'],
      includeLevels: ['Error'],
      excludeLevels: ['Trace'],
      ordering: [{ by: 'level', direction: 'Asc' }],
    };
    assert.deepEqual(decodeEventFilter(bytesOf(JSON.stringify(events))), events);
    assert.deepEqual(
      decodeParameterFilter(bytesOf('{"IncludeTypes":["NUMERIC"],"Ordering":[{"By":"Unit"}]}')),
      {
        includeTypes: ['Numeric'],
        ordering: [{ by: 'unit', direction: 'Asc' }],
      },
    );
    for (const text of ['', '{}', '{"streamIds":[],"ordering":[],"locationDeepSearch":true,"name":null}']) {
      assert.deepEqual(decodeParameterFilter(bytesOf(text)), {});
      assert.deepEqual(decodeEventFilter(bytesOf(text)), {});
    }
    for (const text of ['', '{}', ' {} ']) decodeTopicFilter(bytesOf(text));
  });

  it('name what is wrong and where', () => {
    const parameters = (text: string) => () => decodeParameterFilter(bytesOf(text));
    const events = (text: string) => () => decodeEventFilter(bytesOf(text));
    assertFault(parameters('{"includeTypes":["Number"]}'), 'invalid_value', 'includeTypes[0]', 'Numeric');
    assertFault(
      parameters('{"ordering":[{"by":"level"}]}'),
      'invalid_value',
      'ordering[0].by',
      'parameterId',
    );
    assertFault(parameters('{"ordering":[{"by":"metadata.x"}]}'), 'invalid_value', 'ordering[0].by');
    assertFault(parameters('{"eventIds":["e"]}'), 'unknown_property', '', '"eventIds"');
    assertFault(parameters('{"paging":{"index":-1,"length":1}}'), 'invalid_value', 'paging.index');
    assertFault(
      events('{"includeLevels":["Eror"]}'),
      'invalid_value',
      'includeLevels[0]',
      'nearest is Error',
    );
    assertFault(events('{"parameterIds":["e"]}'), 'unknown_property', '', 'nearest');
    assertFault(() => decodeTopicFilter(bytesOf('{"topic":"t"}')), 'unknown_property', '', 'none is known');
    assertFault(() => decodeTopicFilter(bytesOf('[]')), 'wrong_type', '');
  });
});
