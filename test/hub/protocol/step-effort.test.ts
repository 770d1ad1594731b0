import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode } from '@msgpack/msgpack';
import { jsonHubProtocol } from '../../../src/hub/protocol/json-hub-protocol.ts';
import { messagePackHubProtocol } from '../../../src/hub/protocol/messagepack-hub-protocol.ts';
import { liveEvent } from '../../../src/live/live-event.ts';
import { Members, Sequence } from '../../../src/live/sequence.ts';
import type { Steps } from '../../../src/turns/steps.ts';

const options = { int64AsString: false, maxDepth: 64, maxArguments: 3, maxJsonBytes: 2 ** 26 };
const protocols = [
  {
    ...jsonHubProtocol(options),
    read: (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString().slice(0, -1)).result,
  },
  {
    ...messagePackHubProtocol(options),
    read: (bytes: Uint8Array) => (decode(bytes.slice(prefixOf(bytes))) as unknown[])[4],
  },
];

/** Bytes of the length before a message. */
function prefixOf(bytes: Uint8Array): number {
  return bytes.findIndex((byte) => byte < 0x80) + 1;
}

/** What is made in the steps, and the most that was made in one, as `made` counts it. */
function taken(steps: Steps<Uint8Array>, made: () => number): { bytes: Uint8Array; most: number } {
  let most = 0;
  for (let before = 0; ; before = made()) {
    const step = steps.next();
    most = Math.max(most, made() - before);
    if (step.done === true) return { bytes: step.value, most };
  }
}

for (const { name, event, listCompletion, read } of protocols) {
  describe(`steps of what is written in ${name}`, () => {
    it('are short with very many columns, of few values or of nearly as many as a step has', () => {
      for (const rows of [1, 5, 999]) {
        let made = 0;
        const columns = Array.from({ length: 2000 }, (_, i) => [
          `p${i}`,
          new Sequence(rows, (into, from, to) => {
            made += to - from;
            into.fill(i, 0, to - from);
          }),
        ]);
        const data = { numericValues: Object.fromEntries(columns) };
        const { most } = taken(event(liveEvent('ParameterDataReceived', () => [data])), () => made);
        assert.ok(most < 2500, `${most} values of ${made} in one step`);
      }
    });

    it('are short with long texts and binaries', () => {
      const long = 60_000;
      for (const value of ['x'.repeat(long), new Uint8Array(long)]) {
        let made = 0;
        const list = new Sequence(500, (into, from, to) => {
          made += to - from;
          into.fill(value, 0, to - from);
        });
        const { most } = taken(event(liveEvent('ParameterDataReceived', () => [{ list }])), () => made);
        assert.ok(most <= 16, `${most} texts of ${made} in one step`);
      }
    });

    it('are short with an object of very many members, which are made in them', () => {
      let made = 0;
      const names = Array.from({ length: 60_000 }, (_, i) => `p${i}`);
      const members = new Members(function* () {
        for (const member of names) {
          made++;
          yield [member, { name: member, unit: null }] as const;
          if (made % 10_000 === 0) yield undefined;
        }
      });
      const list = new Sequence(1, (into) => into.fill({ members }));
      const { bytes, most } = taken(listCompletion('0', list), () => made);
      assert.ok(most < 1100, `${most} members of ${made} in one step`);
      const [found] = read(bytes) as [{ members: Record<string, unknown> }];
      assert.deepEqual(Object.keys(found.members), names);
      assert.deepEqual(found.members['p59999'], { name: 'p59999', unit: null });
    });

    it('leave out elements of a list, and members, that are not there when they are asked for', () => {
      const list = new Sequence(50, (into, from, to) => {
        for (let i = from; i < to; i++) into[i - from] = i % 3 === 0 ? undefined : { i, none: undefined };
      });
      const { bytes } = taken(listCompletion('0', list), () => 0);
      const expected = Array.from({ length: 50 }, (_, i) => ({ i })).filter(({ i }) => i % 3 !== 0);
      assert.deepEqual(read(bytes), expected);
    });
  });
}
