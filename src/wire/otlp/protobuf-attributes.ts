import type { TagPair } from '../../domain/tags.ts';
import { MessageFault, Wire, type WireReader } from '../../protobuf/wire-reader.ts';
import type { WireTexts } from '../../protobuf/wire-texts.ts';
import { deepestValue, listText, mapText, numberText, textText } from './attribute-text.ts';

/**
 * Attributes in protobuf (opentelemetry/proto/common/v1/common.proto):
 *
 *   KeyValue      1 key, 2 value
 *   AnyValue      one of 1 string, 2 bool, 3 int (int64), 4 double, 5 array, 6 kvlist, 7 bytes; none of them is no value
 *   ArrayValue    1 values…
 *   KeyValueList  1 values… (KeyValue)
 */
export class ProtobufAttributes {
  readonly #reader: WireReader;
  readonly #texts: WireTexts;
  readonly #maxValueBytes: number;
  #depth = 0;

  /** @param maxValueBytes of a list or a map in the message; one that is longer is a text that is too long */
  constructor(reader: WireReader, texts: WireTexts, maxValueBytes: number) {
    this.#reader = reader;
    this.#texts = texts;
    this.#maxValueBytes = maxValueBytes;
  }

  /** Those whose messages stand at these places, in turns of start and end; without what has no value. */
  pairs(places: readonly number[]): TagPair[] {
    const pairs: TagPair[] = [];
    for (let i = 0; i + 1 < places.length; i += 2) {
      const [name, text] = this.#keyValue(places[i]!, places[i + 1]!, false);
      if (text !== undefined) pairs.push([name, text]);
    }
    return pairs;
  }

  #keyValue(from: number, end: number, isWithin: boolean): readonly [name: string, text: string | undefined] {
    const reader = this.#reader;
    let name = '';
    let text: string | undefined;
    for (let at = from; at < end; ) {
      at = reader.next(at, end);
      if (reader.wire !== Wire.Bytes) continue;
      if (reader.number === 1) name = this.#texts.at(reader.from, reader.to);
      else if (reader.number === 2) text = this.#value(reader.from, reader.to, isWithin);
    }
    return [name, text];
  }

  /** Of several values in one the last one counts. */
  #value(start: number, end: number, isWithin: boolean): string | undefined {
    const reader = this.#reader;
    let text: string | undefined;
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      const { number, wire, from, to } = reader;
      if (wire === Wire.Bytes) text = this.#bytesValue(number, from, to, isWithin) ?? text;
      else if (wire === Wire.Varint && number === 2) text = String(reader.low !== 0 || reader.high !== 0);
      else if (wire === Wire.Varint && number === 3)
        text = String(BigInt.asIntN(64, (BigInt(reader.high) << 32n) | BigInt(reader.low)));
      else if (wire === Wire.Fixed64 && number === 4)
        text = numberText(reader.view.getFloat64(from, true), isWithin);
    }
    return text;
  }

  #bytesValue(number: number, from: number, to: number, isWithin: boolean): string | undefined {
    if (number === 1) return textText(this.#texts.at(from, to), isWithin);
    if (number === 7) return textText(this.#texts.base64(from, to), isWithin);
    if (number !== 5 && number !== 6) return undefined;
    // Longer than an attribute may be, whatever it holds.
    if (to - from > this.#maxValueBytes) return ' '.repeat(this.#maxValueBytes + 1);
    if (this.#depth === deepestValue)
      throw new MessageFault(`a value is nested more than ${deepestValue} deep`);
    this.#depth++;
    const text = number === 5 ? this.#list(from, to) : this.#map(from, to);
    this.#depth--;
    return text;
  }

  #list(start: number, end: number): string {
    const reader = this.#reader;
    const elements: string[] = [];
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      if (reader.number === 1 && reader.wire === Wire.Bytes)
        elements.push(this.#value(reader.from, reader.to, true) ?? 'null');
    }
    return listText(elements);
  }

  #map(start: number, end: number): string {
    const reader = this.#reader;
    const members: (readonly [string, string])[] = [];
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      if (reader.number !== 1 || reader.wire !== Wire.Bytes) continue;
      const [name, text] = this.#keyValue(reader.from, reader.to, true);
      members.push([name, text ?? 'null']);
    }
    return mapText(members);
  }
}
