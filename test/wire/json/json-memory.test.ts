import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whole } from '../../../src/turns/steps.ts';
import { queryLimits, settingsLimits } from '../../../src/wire/json/json-memory.ts';
import { decodeBody, elementSteps } from '../../../src/wire/json/value.ts';
import { decodeRowDelete } from '../../../src/wire/requests/row-delete.ts';
import { decodeStreamFilter } from '../../../src/wire/requests/stream-filter.ts';
import { parameterDefinitionSteps } from '../../../src/wire/rows/definition.ts';
import { eventSteps } from '../../../src/wire/rows/event-data.ts';
import { ParameterDataDecoder } from '../../../src/wire/rows/parameter-data.ts';
import { decodeStreamProperties } from '../../../src/wire/rows/stream-request.ts';
import { heapInUse } from '../../collected.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { assertFault, bytesOf } from '../faults.ts';

/** `head`, as many of the element as fit into so many bytes, and `tail`. */
function filled(bytes: number, head: string, element: string, tail: string): Buffer {
  const count = Math.floor((bytes - head.length - tail.length + 1) / (element.length + 1));
  return bytesOf(`${head}${`${element},`.repeat(count - 1)}${element}${tail}`);
}

const elements = { objects: '{}', arrays: '[]', numbers: '1', nested: '[{"a":{}}]' };

describe('the memory of the values of a body', () => {
  for (const [what, element] of Object.entries(elements)) {
    it(`is bounded, and the place named where a filter goes beyond: ${what}`, () => {
      const bomb = filled(queryLimits.maxBytes, '{"streamIds":[', element, ']}');
      let taken = 0;
      const share = { take: (bytes: number) => (taken += bytes) };
      const decode = () => decodeStreamFilter(bomb, share);
      assert.throws(decode, {
        code: 'body_too_large',
        status: 413,
        message: /^streamIds\[\d+\]\S* is where the values/,
      });
      assert.ok(taken <= queryLimits.maxValueBytes * 1.01, `${taken} bytes were taken`);
    });
  }

  it('is bounded for deletes and properties too, and for each event and definition', () => {
    const bombs: [() => unknown, RegExp][] = [
      [
        () => decodeRowDelete(filled(queryLimits.maxBytes, '{"topic":[', '{}', ']}')),
        /^topic\[\d+\] is where/,
      ],
      [
        () =>
          decodeStreamProperties(
            filled(settingsLimits.maxBytes, '{"parents":[', '{}', ']}'),
            defaultPayloadLimits,
          ),
        /^parents\[\d+\] is where/,
      ],
      [
        () => whole(eventSteps(filled(2 ** 22, '[[', '{}', ']]'), defaultPayloadLimits)),
        /^\[0\]\[\d+\] is where/,
      ],
      [
        () => whole(parameterDefinitionSteps(filled(2 ** 22, '[[', '{}', ']]'), defaultPayloadLimits)),
        /^\[0\]\[\d+\] is/,
      ],
    ];
    for (const [decode, message] of bombs) assert.throws(decode, { code: 'body_too_large', message });
  });

  it('leaves room for a body full of the shortest ids', () => {
    const body = filled(queryLimits.maxBytes, '{"streamIds":[', '"a"', ']}');
    assert.equal(decodeStreamFilter(body).streamIds?.length, Math.floor((queryLimits.maxBytes - 15) / 4));
  });

  it('is what the engine takes for it, or more', async () => {
    for (const element of [
      ...Object.values(elements),
      '"ab"',
      '{"a":1,"b":[true,null]}',
      '{"a":"b"}',
      '-1.5e3',
    ]) {
      const body = filled(2 ** 18, '[', element, ']');
      let taken = 0;
      const share = { take: (bytes: number) => (taken += bytes) };
      const heap = await heapOf(() =>
        decodeBody(body, { ...queryLimits, maxValueBytes: 2 ** 30 }, undefined, share),
      );
      assert.ok(taken > heap * 0.8, `${element}: ${taken} bytes were taken for ${heap}`);
    }
  });

  it('is refused where all requests together have no more', () => {
    const full = new Error('no more');
    const share = {
      take() {
        throw full;
      },
    };
    assert.throws(() => decodeStreamFilter(bytesOf('{"streamIds":["a"]}'), share), full);
    const properties = bytesOf('{"name":"a"}');
    assert.throws(() => decodeStreamProperties(properties, defaultPayloadLimits, share), full);
    assert.throws(() => whole(eventSteps(bytesOf('{"id":"a"}'), defaultPayloadLimits, share)), full);
    assert.throws(
      () => whole(parameterDefinitionSteps(bytesOf('[{"id":"a"}]'), defaultPayloadLimits, share)),
      full,
    );
  });

  it('is taken once for elements that come one after another, and for the rows that stay', () => {
    let taken = 0;
    const share = { take: (bytes: number) => (taken += bytes) };
    whole(elementSteps(filled(2 ** 20, '[', '{"a":{}}', ']'), () => undefined, share));
    assert.equal(taken, 16 * 1024);
    const rows = whole(
      eventSteps(filled(2 ** 20, '[', '{"id":"a","timestamp":1}', ']'), defaultPayloadLimits, share),
    );
    assert.ok(taken > rows.length * 100, `${taken} bytes were taken for ${rows.length} rows`);
  });
});

describe('a body', () => {
  it('is refused above the limit of its kind, before it is read', () => {
    const filter = Buffer.alloc(queryLimits.maxBytes + 1, '[');
    assert.throws(() => decodeStreamFilter(filter), {
      code: 'body_too_large',
      status: 413,
      message: 'a query or filter may have 4194304 bytes at most, decompressed',
    });
    const properties = Buffer.alloc(settingsLimits.maxBytes + 1, '[');
    assert.throws(() => decodeStreamProperties(properties, defaultPayloadLimits), {
      code: 'body_too_large',
      message: 'a body of settings or properties may have 262144 bytes at most, decompressed',
    });
  });

  it('may be as long as its limit', () => {
    const body = Buffer.alloc(queryLimits.maxBytes, ' ');
    body.write('{}');
    assert.deepEqual(decodeStreamFilter(body), {});
  });

  it('of elements may be of any length, when each of them is small', () => {
    let count = 0;
    whole(elementSteps(filled(2 ** 23, '[', '{"a":{}}', ']'), () => count++));
    assert.ok(count > 900_000);
  });
});

describe('parameter data', () => {
  it('has so many names without values at most', () => {
    const names = Array.from({ length: 65_537 }, (_, i) => `"${i}":null`);
    const payload = (count: number) =>
      bytesOf(`{"timestamps":[],"numericValues":{${names.slice(0, count).join()}}}`);
    const decoder = new ParameterDataDecoder(defaultPayloadLimits);
    assert.deepEqual(decoder.decode(payload(65_536)), []);
    assertFault(() => decoder.decode(payload(65_537)), 'too_many_parameters', 'numericValues', '65536 names');
  });
});

/** The bytes of the heap that hold a value. */
async function heapOf(make: () => unknown): Promise<number> {
  const before = await heapInUse();
  const value = make();
  const bytes = (await heapInUse()) - before;
  assert.ok(value !== undefined);
  return bytes;
}
