import { MessageFault } from '../../protobuf/wire-reader.ts';
import { type CdrForm, CdrReader, cdrFormOf, headBytes } from './cdr-reader.ts';
import type { CdrSchema } from './cdr-types.ts';
import { type CdrRules, CdrWalk } from './cdr-walk.ts';
import type { MessageDecoder } from './place.ts';

/** Messages of ROS 1: little-endian, without gaps. Throws a MessageFault. */
export function ros1Decoder(schema: CdrSchema): MessageDecoder {
  return (bytes, place, visitor) => {
    const walk = new CdrWalk(schema, new CdrReader(bytes, 0, true, 1), undefined, plainRules);
    walk.type(schema.root, place, visitor, 0);
    return walk.left();
  };
}

/** Messages of ROS 2 and DDS: CDR, whose numbers stand at multiples of their size. Throws a MessageFault. */
export function cdrDecoder(schema: CdrSchema): MessageDecoder {
  let rules: CdrRules | undefined;
  return (bytes, place, visitor) => {
    if (bytes.length === 0 && schema.root.fields.length === 0) return 0;
    const form = cdrFormOf(bytes);
    if (form.version === 1) rules = plainRules;
    else rules ??= rulesOf(schema, bytes, form);
    const walk = walkOf(schema, bytes, form, rules);
    walk.type(schema.root, place, visitor, 0);
    return walk.left();
  };
}

function walkOf(schema: CdrSchema, bytes: Uint8Array, form: CdrForm, rules: CdrRules): CdrWalk {
  const reader = new CdrReader(bytes, headBytes, form.isLittle, form.version === 1 ? 8 : 4);
  return new CdrWalk(schema, reader, form, rules);
}

const plainRules: CdrRules = { isAsHead: false, heads: 'none' };
const manyRules: readonly CdrRules[] = [true, false].flatMap((isAsHead) =>
  (['all', 'no enums', 'none'] as const).map((heads) => ({ isAsHead, heads })),
);

/** Those with which a first message is read to its end. */
function rulesOf(schema: CdrSchema, bytes: Uint8Array, form: CdrForm): CdrRules {
  const isFitting = (rules: CdrRules): boolean => {
    const walk = walkOf(schema, bytes, form, rules);
    try {
      walk.type(schema.root, undefined, undefined, 0);
    } catch (error) {
      if (!(error instanceof MessageFault)) throw error;
      return false;
    }
    return walk.left() < 4;
  };
  return manyRules.find(isFitting) ?? manyRules[0]!;
}
