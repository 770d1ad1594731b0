import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonHubProtocol } from '../../../src/hub/protocol/json-hub-protocol.ts';
import { liveEvent } from '../../../src/live/live-event.ts';
import { JsonText, Sequence } from '../../../src/live/sequence.ts';
import { whole } from '../../../src/turns/steps.ts';

const protocol = jsonHubProtocol({
  int64AsString: false,
  maxDepth: 64,
  maxArguments: 3,
  maxJsonBytes: 2 ** 26,
});

function parse(text: string) {
  const message = whole(protocol.parse(Buffer.from(text)));
  if (message.kind !== 'invocation') return message;
  return {
    ...message,
    arguments: message.arguments.map((argument) => Buffer.from(argument.json()).toString()),
  };
}

describe('the JSON hub protocol', () => {
  it('reads an invocation, its arguments as they were written', () => {
    assert.deepEqual(
      parse('{"type":1,"invocationId":"0","target":"Send","arguments":["a", {"b" : [1e400, 2]} ,null]}'),
      {
        kind: 'invocation',
        invocationId: '0',
        target: 'Send',
        arguments: ['"a"', '{"b" : [1e400, 2]}', 'null'],
        hasMore: false,
        streaming: false,
      },
    );
  });

  it('reads fields in any order, and leaves aside those that it does not know', () => {
    const text =
      '{"arguments":[],"headers":{"Authorization":"Bearer secret"},"target":"Send","streamIds":[ ],"invocationId":null,"type":1}';
    assert.deepEqual(parse(text), {
      kind: 'invocation',
      invocationId: undefined,
      target: 'Send',
      arguments: [],
      hasMore: false,
      streaming: false,
    });
  });

  it('refuses a target or an id that is too long, however it is written, and leaves aside a member with a long name', () => {
    const long = 'a'.repeat(16 * 1024);
    const escaped = '\\n'.repeat(8 * 1024);
    for (const text of [long, escaped]) {
      const fields = [`"target":"${text}"`, `"target":"Send","invocationId":"${text}"`];
      for (const field of fields) {
        assert.equal(parse(`{"type":1,${field},"arguments":[]}`).kind, 'invocation');
        const longer = field.replace(text, `${text}a`);
        assert.throws(() => parse(`{"type":1,${longer},"arguments":[]}`), { code: 'body_too_large' });
      }
      const other = parse(`{"type":1,"target":"Send","${text}aaa":[1],"arguments":[2]}`);
      assert.deepEqual('arguments' in other && other.arguments, ['2']);
    }
    assert.throws(() => parse(`{"type":1,"${long}a`), { code: 'bad_json' });
    assert.throws(() => parse(`{"type":1,"${long}a"`), { code: 'bad_json' });
  });

  it('knows calls that stream', () => {
    for (const text of [
      '{"type":4,"invocationId":"1","target":"Send","arguments":[]}',
      '{"type":1,"invocationId":"1","target":"Send","arguments":[],"streamIds":["2"]}',
    ]) {
      const message = whole(protocol.parse(Buffer.from(text)));
      assert.equal(message.kind === 'invocation' && message.streaming, true);
    }
  });

  it('reads pings and closes, and ignores the types that have no meaning here', () => {
    assert.equal(parse('{"type":6}').kind, 'ping');
    assert.equal(parse('{"type":7,"error":"bye"}').kind, 'close');
    for (const type of [2, 3, 5, 8, 9, 99]) {
      assert.equal(parse(`{"type":${type},"invocationId":"x","item":{"a":[1]}}`).kind, 'ignored');
    }
  });

  it('refuses what is no message', () => {
    for (const text of [
      '',
      'x',
      '[]',
      '"type"',
      '{}',
      '{"type":"1"}',
      '{"type":1}',
      '{"type":1,"target":5}',
      '{"type":6}{"type":6}',
      '{"type":1,"target":"a","arguments":{}}',
      '{"type":1,"target":"a","arguments":[1',
      '{"type":1,"target":"a","streamIds":1}',
    ]) {
      assert.throws(() => parse(text), { name: 'PitwallError' }, text);
    }
    assert.throws(() => whole(protocol.parse(Buffer.from([0x7b, 0xff, 0x7d]))), { code: 'bad_utf8' });
  });

  it('leaves faults inside an argument to the one who reads it', () => {
    const message = parse('{"type":1,"target":"Send","arguments":[{"a":[1,,2]},tru]}');
    assert.deepEqual(message.kind === 'invocation' && message.arguments, ['{"a":[1,,2]}', 'tru']);
  });

  it('reads as many arguments as methods take, and gets past the others', () => {
    const rest = '[1,[2]],"]\\"",{},3'.concat(',[]'.repeat(1000));
    for (const head of ['"arguments":["a","b","c"', '"arguments":["a","b","c",'.concat(rest)]) {
      assert.deepEqual(parse(`{"type":1,"invocationId":"0",${head}],"streamIds":[ ],"target":"Send"}`), {
        kind: 'invocation',
        invocationId: '0',
        target: 'Send',
        arguments: ['"a"', '"b"', '"c"'],
        hasMore: head.endsWith('[]'),
        streaming: false,
      });
    }
    assert.throws(() => parse('{"type":1,"target":"Send","arguments":[1,2,3,[4]'), { code: 'bad_json' });
  });

  it('refuses a message of very many members, of whatever type', () => {
    const members = (count: number) => ',"more":[]'.repeat(count);
    for (const type of [1, 3, 6, 7]) {
      parse(`{"type":${type},"target":"Send"${members(62)}}`);
      assert.throws(() => parse(`{"type":${type},"target":"Send"${members(63)}}`), {
        code: 'bad_request',
        message: /more members than the 64/,
      });
    }
  });

  it('refuses an argument that is nested too deeply, when it is read', () => {
    const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
    const message = whole(
      protocol.parse(Buffer.from(`{"type":1,"target":"Send","arguments":[[[]],${deep}]}`)),
    );
    assert.ok(message.kind === 'invocation');
    message.arguments[0]!.json();
    assert.throws(() => message.arguments[1]!.json(), { code: 'too_deep' });
  });

  it('writes completions with nothing but what they need', () => {
    const texts = [
      protocol.completion('0', { result: undefined }),
      protocol.completion('"', { result: { streamId: 'é', left: undefined, none: null } }),
      protocol.completion('2', { error: 'a "reason"' }),
    ].map(String);
    assert.deepEqual(texts, [
      '{"type":3,"invocationId":"0"}\u001e',
      '{"type":3,"invocationId":"\\"","result":{"streamId":"é","none":null}}\u001e',
      '{"type":3,"invocationId":"2","error":"a \\"reason\\""}\u001e',
    ]);
  });

  it('writes pings and closes', () => {
    assert.equal(String(protocol.ping), '{"type":6}\u001e');
    assert.equal(String(protocol.close(undefined, true)), '{"type":7,"allowReconnect":true}\u001e');
    assert.equal(String(protocol.close('why', false)), '{"type":7,"error":"why"}\u001e');
  });

  it('writes long lists, and JSON in text, as short ones', () => {
    for (const length of [0, 1, 999, 1000, 1001, 70_000]) {
      const list = Array.from({ length }, (_, i) => (i % 3 === 0 ? i / 7 : i % 3 === 1 ? `é"\n${i}` : null));
      const sequence = new Sequence(length, (into, from, to) => {
        for (let i = from; i < to; i++) into[i - from] = list[i];
      });
      const members = (seen: unknown, text: unknown) => [{ seen, objects: [{ seen }], text }];
      const event = liveEvent('PackageReceived', () => members(sequence, new JsonText({ sequence })));
      const expected = members(list, JSON.stringify({ sequence: list }));
      assert.equal(
        String(whole(protocol.event(event))),
        `{"type":1,"target":"PackageReceived","arguments":${JSON.stringify(expected)}}\u001e`,
      );
    }
  });

  it('writes events with every digit, as strings where the client wants it so', () => {
    const event = liveEvent('ParameterDataReceived', () => [
      {
        timestamps: [1591733989000000001n],
        values: [1.5, -0, Number.NaN, Number.NEGATIVE_INFINITY, null],
        typed: new Float64Array([0.1]),
        bytes: new Uint8Array([1, 2]),
      },
    ]);
    const rest = '"values":[1.5,-0,"NaN","-Infinity",null],"typed":[0.1],"bytes":"AQI="}]}\u001e';
    const head = '{"type":1,"target":"ParameterDataReceived","arguments":[{"timestamps":';
    assert.equal(String(whole(protocol.event(event))), `${head}[1591733989000000001],${rest}`);
    const strings = jsonHubProtocol({
      int64AsString: true,
      maxDepth: 64,
      maxArguments: 3,
      maxJsonBytes: 2 ** 26,
    });
    assert.equal(String(whole(strings.event(event))), `${head}["1591733989000000001"],${rest}`);
  });
});
