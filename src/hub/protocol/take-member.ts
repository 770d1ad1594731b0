import { whole } from '../../turns/steps.ts';
import { fault } from '../../wire/base/fault.ts';
import {
  Byte,
  describeNext,
  nextMember,
  openObject,
  openScan,
  peek,
  type Scan,
} from '../../wire/json/json-scanner.ts';
import { readKey, readString } from '../../wire/json/json-string.ts';
import { skipValue } from './skip-value.ts';

/** An object without one of its members, whose text is `text`. */
export interface Taken {
  readonly text: string;
  readonly rest: Uint8Array;
}

/**
 * Takes the member `name`, a string, out of a JSON object, in camelCase or PascalCase; the bytes of the others stay
 * as they are, for the decoder that knows them. Throws `missing_property`, `wrong_type`, and `duplicate_property`.
 */
export function takeMember(json: Uint8Array, name: string): Taken {
  const scan = openScan(json);
  if (peek(scan) !== Byte.OpenObject)
    throw fault('wrong_type', '', `must be an object, not ${describeNext(scan)}`);
  const pascal = name[0]!.toUpperCase() + name.slice(1);
  const kept: Buffer[] = [];
  let text: string | undefined;
  if (openObject(scan)) {
    do {
      peek(scan);
      const start = scan.at;
      const key = readKey(scan);
      if (key === name || key === pascal) {
        if (text !== undefined) throw fault('duplicate_property', name, 'stands twice');
        text = readMember(scan, name);
      } else {
        whole(skipValue(scan));
        kept.push(scan.bytes.subarray(start, scan.at), comma);
      }
    } while (nextMember(scan));
  }
  if (text === undefined) throw fault('missing_property', name, 'is missing');
  const members = kept.slice(0, -1);
  return {
    text,
    rest: Buffer.concat([
      Buffer.from('{'),
      ...members,
      Buffer.from('}'),
      scan.bytes.subarray(scan.at, scan.end),
    ]),
  };
}

const comma = Buffer.from(',');

function readMember(scan: Scan, name: string): string {
  if (peek(scan) !== Byte.Quote)
    throw fault('wrong_type', name, `must be a string, not ${describeNext(scan)}`);
  return readString(scan);
}
