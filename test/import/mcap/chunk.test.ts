import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileFault } from '../../../src/import/file-bytes.ts';
import { chunkBytes } from '../../../src/import/mcap/chunk.ts';

const text = Array.from({ length: 300 }, (_, i) => (i * i) % 97)
  .join(' ')
  .repeat(2);

/** The text as the commands `lz4` 1.9.4 and `zstd` 1.5.4 compress it. */
const frames: readonly (readonly [what: string, compression: string, base64: string])[] = [
  [
    'lz4 -9',
    'lz4',
    'BCJNGGRApwsBAADxezAgMSA0IDkgMTYgMjUgMzYgNDkgNjQgODEgMyAyNCA0NyA3MiAyIDMxIDYyIDk1IDMzIDcwIDEyIDUzIDk2IDQ0IDkxIDQzIDk0IDUwIDggNjUgMjcgODggNTQgMjIgODkgNjEgMzUgMTEgODYgNjYgNDggMzIgMTggNiA5MyA4NSA3OSA3NSA3MwMAAQ8AIDg1GwAxNiAxKwAgNDg3AEE4NiAxSQAgNjFVACAyMmEAIDg4bQBANjUgOH0AITk0iQARMZUAEDahACAxMq0AIDMzuQARNsUAEDLPACA0N9sAEDPlACA2NPEAETP9AJ8xNiA5IDQgMSAUAf//LQ9SA////z1QNDkgNjQAAAAAfImpdg==',
  ],
  [
    'lz4 -1 -BD',
    'lz4',
    'BCJNGGBAgiIBAADxwTAgMSA0IDkgMTYgMjUgMzYgNDkgNjQgODEgMyAyNCA0NyA3MiAyIDMxIDYyIDk1IDMzIDcwIDEyIDUzIDk2IDQ0IDkxIDQzIDk0IDUwIDggNjUgMjcgODggNTQgMjIgODkgNjEgMzUgMTEgODYgNjYgNDggMzIgMTggNiA5MyA4NSA3OSA3NSA3MyA3MyA3NSA3OSA4NSA5MyA2IDE4IDMyIDQ4IDY2IDg2IDExIDM1IDYxIDg5IDIyIDU0IDg4IDI3IDY1IDggNTAgOTQgNDOPABA0mwAgNTOnACA3MLMAIDk1vwBAMzEgMs8AIDQ32wAQM+UAIDY08QARM/0AnzE2IDkgNCAxIBQB//8tDz4C//8tAJUED3oF+FA0OSA2NAAAAAA=',
  ],
  [
    'zstd -19',
    'zstd',
    'KLUv/QRofQQAptAeCbDrhJKiPY95RBsAGwAbADd576ElhnpmuqXHLEtdnPIcNvvxziQ3vnkMAfXVZM/dLZbZeHvtiGmOfrbIpM0umboNNO/hEXEP5w20Tb1ks0mLfHZ0miOu3W5cZov73GRTU8f8bkxy5+PsYc+Ui0stxyyd7pmhlnjo3uQBBABPq0oFADsuVonMFhQKTgqVFGZh',
  ],
  [
    'zstd -1',
    'zstd',
    'KLUv/QBIfQQARhEgC7C1DWTSKw2zyVQEGwAcABwAR03eerPEILw9tfTYsoQDp7yDZi/ePXLjmscgC0+4wkOv7hTLJt5eOuLZ0YsWmTPRQZ5Og5n1GJw1mOnpQSaas8hFR58dcel24rIp7quHrvCEFw7HvG48cndx9qA35cAlLMeWPvU2CEu8uTV51AsCAE+rSgVQ7Lio1hQ=',
  ],
];

function chunkOf(compression: string, bytes: Uint8Array, size: number) {
  const body = Buffer.alloc(40 + compression.length);
  body.writeBigUInt64LE(BigInt(size), 16);
  body.writeUInt32LE(compression.length, 28);
  body.write(compression, 32);
  body.writeBigUInt64LE(BigInt(bytes.length), 32 + compression.length);
  const whole = Uint8Array.from(Buffer.concat([body, bytes]));
  return { op: 6, offset: 77, data: new DataView(whole.buffer) };
}

describe('a chunk of an MCAP file', () => {
  for (const [what, compression, base64] of frames) {
    it(`is decompressed: ${what}`, async () => {
      const { bytes, isChecked } = await chunkBytes(
        chunkOf(compression, Buffer.from(base64, 'base64'), text.length),
      );
      assert.equal(Buffer.from(bytes).toString(), text);
      assert.equal(isChecked, false);
    });

    it(`is refused where it is not what it says: ${what}`, async () => {
      const good = Buffer.from(base64, 'base64');
      const refused = (bytes: Uint8Array, size: number) =>
        assert.rejects(
          chunkBytes(chunkOf(compression, bytes, size)),
          (error) => error instanceof FileFault && /^byte 77: a chunk /.test(error.message),
        );
      await refused(good, text.length + 1);
      await refused(good, text.length - 1);
      await refused(good, 2 ** 40);
      await refused(good.subarray(0, 60), text.length);
    });
  }

  it('is refused for a head that asks for more memory than the chunk holds, in the second frame too', async () => {
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 1 | (3 << 3), 0, 0, 1, 2, 3]);
    const hungry = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0]),
      Buffer.alloc(8),
      frame.subarray(6),
    ]);
    hungry.writeBigUInt64LE(1_000_000_000n, 5);
    const both = await chunkBytes(chunkOf('zstd', Buffer.concat([frame, frame]), 6));
    assert.deepEqual([...both.bytes], [1, 2, 3, 1, 2, 3]);
    for (const bytes of [hungry, Buffer.concat([frame, hungry])]) {
      const before = process.memoryUsage().arrayBuffers;
      await assert.rejects(chunkBytes(chunkOf('zstd', bytes, 6)), /byte 77: .*there are more than 6 bytes/);
      assert.ok(process.memoryUsage().arrayBuffers - before < 1e8);
    }
  });

  it('is refused for so many blocks, or frames, with so large a window that it would take very long', async () => {
    const window = 17 << 3;
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]);
    const last = Buffer.from([1, 0, 0]);
    const blocks = Buffer.concat([head, Buffer.alloc(3 * 600), last]);
    const oneOfMany = Buffer.concat([head, last]);
    const frames = Buffer.concat(Array.from({ length: 300 }, () => oneOfMany));
    for (const bytes of [blocks, frames])
      await assert.rejects(chunkBytes(chunkOf('zstd', bytes, 0)), /byte 77: .*too many blocks/);
  });
});
