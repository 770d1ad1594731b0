import { isUtf8 } from 'node:buffer';
import { MessageFault, type WireReader } from './wire-reader.ts';

/** Texts of the message that a reader has. */
export class WireTexts {
  readonly #bytes: Buffer;

  constructor({ bytes: { buffer, byteOffset, byteLength } }: WireReader) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Throws a MessageFault for bytes that are no UTF-8. */
  at(from: number, to: number): string {
    const text = this.#bytes.toString('utf8', from, to);
    // Nearly all are ASCII, and have as many letters as bytes.
    const isAscii = text.length === to - from && !text.includes('\ufffd');
    if (!isAscii && !isUtf8(this.#bytes.subarray(from, to)))
      throw new MessageFault('a text is not valid UTF-8');
    return text;
  }

  base64(from: number, to: number): string {
    return this.#bytes.toString('base64', from, to);
  }
}
