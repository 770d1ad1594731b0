import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { isLongArgument } from '../../../src/hub/connection/hub-method.ts';
import { binaryMessage } from '../../../src/hub/protocol/message-formats.ts';
import { messagePackHubProtocol } from '../../../src/hub/protocol/messagepack-hub-protocol.ts';
import { jsonOfPacked } from '../../../src/hub/protocol/messagepack-json.ts';
import { skipPacked } from '../../../src/hub/protocol/messagepack-reader.ts';
import { liveEvent } from '../../../src/live/live-event.ts';
import { JsonText, Sequence } from '../../../src/live/sequence.ts';
import { whole } from '../../../src/turns/steps.ts';

const protocol = messagePackHubProtocol({
  int64AsString: false,
  maxDepth: 64,
  maxArguments: 3,
  maxJsonBytes: 2 ** 26,
});

function jsonOf(bytes: Uint8Array): string {
  return Buffer.from(jsonOfPacked({ bytes: Buffer.from(bytes), at: 0 }, 64)).toString();
}

function packed(value: unknown): Buffer {
  return Buffer.from(encode(value, { useBigInt64: true }));
}

function parse(parts: unknown) {
  const message = whole(protocol.parse(packed(parts)));
  if (message.kind !== 'invocation') return message;
  return {
    ...message,
    arguments: message.arguments.map((argument) => Buffer.from(argument.json()).toString()),
  };
}

/** The body after a length of one byte. */
function body(message: Uint8Array): unknown {
  assert.equal(message[0], message.length - 1);
  return decode(Uint8Array.from(message.subarray(1)), { useBigInt64: true });
}

describe('the MessagePack hub protocol', () => {
  it('reads an invocation of five or six items, with nil or an empty text for no id', () => {
    const call = {
      kind: 'invocation',
      target: 'Send',
      arguments: ['"a"', '{"b":[1,2.5]}'],
      hasMore: false,
      streaming: false,
    };
    const args = ['a', { b: [1, 2.5] }];
    assert.deepEqual(parse([1, {}, '0', 'Send', args, []]), { ...call, invocationId: '0' });
    assert.deepEqual(parse([1, { Authorization: 'Bearer secret' }, null, 'Send', args]), {
      ...call,
      invocationId: undefined,
    });
    assert.deepEqual(parse([1, null, '', 'Send', args, null]), { ...call, invocationId: undefined });
  });

  it('refuses a target or an id that is too long', () => {
    const long = 'a'.repeat(16 * 1024);
    assert.equal(parse([1, {}, long, long, []]).kind, 'invocation');
    assert.throws(() => parse([1, {}, `${long}a`, 'Send', []]), { code: 'body_too_large' });
    assert.throws(() => parse([1, {}, '0', `${long}a`, []]), { code: 'body_too_large' });
  });

  it('knows calls that stream, pings, closes, and what to ignore', () => {
    assert.equal((parse([4, {}, '0', 'Send', [], []]) as { streaming: boolean }).streaming, true);
    assert.equal((parse([1, {}, '0', 'Send', [], ['1']]) as { streaming: boolean }).streaming, true);
    assert.equal(parse([6]).kind, 'ping');
    assert.equal(parse([7, 'why']).kind, 'close');
    for (const type of [2, 3, 5, 8, 9, 200]) assert.equal(parse([type, {}, 'x', 1]).kind, 'ignored');
  });

  it('reads as many arguments as methods take, and nothing behind them', () => {
    const call = { kind: 'invocation', invocationId: '0', target: 'Send', streaming: false };
    const args = ['"a"', '"b"', '"c"'];
    assert.deepEqual(parse([1, {}, '0', 'Send', ['a', 'b', 'c'], []]), {
      ...call,
      arguments: args,
      hasMore: false,
    });
    assert.deepEqual(parse([1, {}, '0', 'Send', ['a', 'b', 'c', 'd', [5]], []]), {
      ...call,
      arguments: args,
      hasMore: true,
    });
    const head = Buffer.concat([packed([1, {}, '0', 'Send', 5]).subarray(0, -1), Buffer.from([0xdd])]);
    const promised = Buffer.concat([head, Buffer.from([0, 0, 0, 5]), Buffer.alloc(4, 0xc0)]);
    assert.throws(() => whole(protocol.parse(promised)), { code: 'bad_request', message: /ends too early/ });
  });

  it('refuses what is no message', () => {
    const broken = [
      [],
      {},
      'text',
      ['1'],
      [1],
      [1, {}, 5, 'Send', []],
      [1, {}, '0', null, []],
      [1, {}, '0', 'Send', 5],
    ];
    for (const value of broken)
      assert.throws(() => whole(protocol.parse(packed(value))), { name: 'PitwallError' });
    for (const bytes of [[], [0xc1], [0x95, 1], [0x95, 1, 0xdf, 255, 255, 255, 255], [0x91, 0xcb, 1]]) {
      assert.throws(() => whole(protocol.parse(Buffer.from(bytes))), { name: 'PitwallError' });
    }
  });

  it('refuses every invocation that is cut off', () => {
    const message = packed([
      1,
      { a: 'b' },
      '0',
      'Send',
      ['topic', { timestamps: [2n ** 62n], x: new Uint8Array(300) }],
      ['1'],
    ]);
    for (let end = 0; end < message.length; end++) {
      assert.throws(
        () => whole(protocol.parse(message.subarray(0, end))),
        { name: 'PitwallError' },
        `${end} bytes`,
      );
    }
  });

  it('writes completions, pings, closes and events', () => {
    assert.deepEqual(body(protocol.completion('0', { result: undefined })), [3, {}, '0', 2]);
    assert.deepEqual(body(protocol.completion('1', { result: { streamId: 'x' } })), [
      3,
      {},
      '1',
      3,
      { streamId: 'x' },
    ]);
    assert.deepEqual(body(protocol.completion('2', { error: 'why' })), [3, {}, '2', 1, 'why']);
    assert.deepEqual([...protocol.ping], [2, 0x91, 6]);
    assert.deepEqual(body(protocol.close('why', false)), [7, 'why', false]);
    assert.deepEqual(body(protocol.close(undefined, true)), [7, null, true]);
    const event = liveEvent('EventDataReceived', () => [
      {
        time: 1591733989000000001n,
        values: new Float64Array([1.5]),
        bytes: new Uint8Array([7]),
        left: undefined,
      },
    ]);
    const rest = { values: [1.5], bytes: new Uint8Array([7]) };
    const head = [1, {}, null, 'EventDataReceived'];
    assert.deepEqual(body(whole(protocol.event(event))), [
      ...head,
      [{ time: 1591733989000000001n, ...rest }],
      [],
    ]);
    const strings = messagePackHubProtocol({
      int64AsString: true,
      maxDepth: 64,
      maxArguments: 3,
      maxJsonBytes: 2 ** 26,
    });
    assert.deepEqual(body(whole(strings.event(event))), [
      ...head,
      [{ time: '1591733989000000001', ...rest }],
      [],
    ]);
  });
});

describe('an event in MessagePack', () => {
  const leaf = fc.oneof(
    fc.double().filter((value) => !Object.is(value, -0)),
    fc.string(),
    fc.integer(),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }),
  );

  it('is what the library makes of it, at every length of its lists and texts', () => {
    fc.assert(
      fc.property(
        fc.array(leaf, { maxLength: 20 }),
        fc.integer({ min: 0, max: 70_000 }),
        (values, length) => {
          const list = Array.from({ length }, (_, i) => values[i % values.length] ?? i);
          const sequence = new Sequence(length, (into, from, to) => {
            for (let i = from; i < to; i++) into[i - from] = list[i];
          });
          const text = 'é"'.repeat(length);
          const members = (seen: unknown, said: unknown) => [{ list: seen, objects: [{ seen }], text: said }];
          const event = liveEvent('PackageReceived', () => members(sequence, new JsonText(text)));
          const expected = [1, {}, null, 'PackageReceived', members(list, JSON.stringify(text)), []];
          assert.ok(binaryMessage(packed(expected)).equals(whole(protocol.event(event))));
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('minus zero in an event in MessagePack', () => {
  it('keeps its sign, wherever it stands', () => {
    const lists = [[-0], [-0, 1, 2], [0, -0, -0, 1.5], [null, 'x', -0], [{ seen: -0 }, -0]];
    const event = liveEvent('ParameterDataReceived', () => lists);
    const [, , , , found] = decode(Uint8Array.from(whole(protocol.event(event)).subarray(1))) as unknown[];
    assert.deepEqual(found, lists);
  });
});

describe('an argument in MessagePack', () => {
  it('says in JSON what it says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(JSON.parse(jsonOf(packed(value))), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps every digit of 64-bit integers', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n), (value) => {
        assert.equal(jsonOf(packed(value)), String(value));
      }),
    );
  });

  it('keeps every bit of doubles', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const bytes = Buffer.alloc(9, 0xcb);
        bytes.writeDoubleBE(value, 1);
        assert.ok(Object.is(Number(jsonOf(bytes)), value));
      }),
    );
  });

  it('reads integers of every width', () => {
    const widths: [number[], string][] = [
      [[0x7f], '127'],
      [[0xe0], '-32'],
      [[0xcc, 255], '255'],
      [[0xcd, 1, 0], '256'],
      [[0xce, 255, 255, 255, 255], '4294967295'],
      [[0xd0, 0x80], '-128'],
      [[0xd1, 0x80, 0], '-32768'],
      [[0xd2, 0x80, 0, 0, 0], '-2147483648'],
    ];
    for (const [bytes, text] of widths) assert.equal(jsonOf(Buffer.from(bytes)), text);
  });

  it('writes the time that a client in JavaScript means', () => {
    const millis = 1_733_333_333_333;
    const bytes = Buffer.alloc(9, 0xcb);
    bytes.writeDoubleBE(millis * 1e6, 1);
    assert.equal(jsonOf(bytes), `${millis}000000`);
  });

  it('has strings for NaN and the infinities, as JSON has', () => {
    assert.equal(
      jsonOf(packed([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])),
      '["NaN","Infinity","-Infinity"]',
    );
  });

  it('takes binary data in binaryValues only', () => {
    assert.equal(
      jsonOf(packed({ BinaryValues: { a: [new Uint8Array([255])] } })),
      '{"BinaryValues":{"a":["/w=="]}}',
    );
    assert.throws(() => jsonOf(packed({ stringValues: { a: [new Uint8Array(1)] } })), {
      code: 'wrong_type',
      message: /^stringValues holds binary data/,
    });
  });

  it('refuses extensions, names that are no strings, and too many levels', () => {
    assert.throws(() => jsonOf(packed({ timestamps: [new Date(0)] })), { code: 'wrong_type' });
    assert.throws(() => jsonOf(Buffer.from([0x81, 1, 2])), { code: 'wrong_type' });
    const levels = (count: number) => Buffer.from([...Array(count).fill(0x91), 0xc0]);
    assert.equal(jsonOf(levels(64)), `${'['.repeat(64)}null${']'.repeat(64)}`);
    assert.throws(() => jsonOf(levels(65)), { code: 'too_deep' });
  });

  it('is long when its JSON is, however short it is itself', () => {
    const nils = Array.from({ length: 255 * 1024 }, () => null);
    const message = whole(protocol.parse(packed([1, {}, '0', 'Send', [nils, [1]]])));
    assert.ok(message.kind === 'invocation');
    const [long, short] = message.arguments;
    assert.ok(!isLongArgument(long!));
    const share = { take: () => undefined };
    const step = long!.prepare!(share)!;
    while (step());
    assert.deepEqual([isLongArgument(long!), long!.length < 256 * 1024], [true, true]);
    assert.deepEqual([short!.prepare!(share), isLongArgument(short!)], [undefined, false]);
  });

  it('is skipped as a whole, however deep', () => {
    const deep = Buffer.from([...Array(200_000).fill(0x91), 0xc0, 5]);
    const pack = { bytes: deep, at: 0 };
    whole(skipPacked(pack));
    assert.equal(pack.at, deep.length - 1);
  });

  it('is skipped as long as it is', () => {
    const other = fc.oneof(
      fc.jsonValue(),
      fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n),
      fc.uint8Array({ maxLength: 70_000 }),
      fc.date({ noInvalidDate: true }),
    );
    fc.assert(
      fc.property(other, (value) => {
        const bytes = Buffer.concat([packed(value), Buffer.from([0xc1])]);
        const pack = { bytes, at: 0 };
        whole(skipPacked(pack));
        assert.equal(pack.at, bytes.length - 1);
      }),
    );
  });
});
