import fc from 'fast-check';

/** All characters but halves of pairs. */
const character = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);

/** Text of any characters. The unit `binary` of fast-check gives it too, and makes a map of all characters before: that takes seconds. */
export function binaryText(lengths: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.array(character, lengths).map((characters) => String.fromCodePoint(...characters));
}
