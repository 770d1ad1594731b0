import type { FunctionOfLibrary } from './patch-library.ts';

/**
 * Tells the library at which address other replicas fetch a server's parts. A server of ClickHouse reads it from its
 * configuration; the library has no place where it would do so, and a replicated table stays read-only without it. So three
 * functions get other bodies: its own address, by which scheme to speak to others, and as whom (nobody).
 */
export function ownAddress(port: number): readonly FunctionOfLibrary[] {
  return [
    {
      // Context::getInterserverIOAddress: a string and a port.
      at: 0x1417c9c0,
      begins: Buffer.from('4156534883ec484c8b36490fbe8e67010000', 'hex'),
      body: Buffer.concat([putString('127.0.0.1'), putPort(port), giveBack]),
    },
    {
      // Context::getInterserverScheme.
      at: 0x1417cac0,
      begins: Buffer.from('488b0680b88701000000781a480570010000', 'hex'),
      body: Buffer.concat([putString('http'), giveBack]),
    },
    {
      // Context::getInterserverCredentials: a pointer, here to zeros behind the function, which are empty strings.
      at: 0x1417c940,
      begins: Buffer.from('41574156534c8b3f498d9f88010000', 'hex'),
      body: Buffer.concat([Buffer.from('488d050900000031d2c3', 'hex')], 0x80),
    },
  ];
}

/** A short string where the first argument points to: up to 22 bytes, its length in the last of 24. */
function putString(value: string): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.write(value);
  bytes[23] = value.length;
  // mov rax, eight bytes; mov [rdi + 0, 8, 16], rax
  return Buffer.concat(
    ['488907', '48894708', '48894710'].flatMap((store, i) => [
      Buffer.from('48b8', 'hex'),
      bytes.subarray(i * 8, i * 8 + 8),
      Buffer.from(store, 'hex'),
    ]),
  );
}

/** mov word [rdi + 24], port */
function putPort(port: number): Buffer {
  return Buffer.from([0x66, 0xc7, 0x47, 0x18, port & 255, port >> 8]);
}

/** mov rax, rdi; ret */
const giveBack = Buffer.from('4889f8c3', 'hex');
