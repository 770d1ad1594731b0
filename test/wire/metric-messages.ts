/** Fields of protobuf that are doubles. */
export function doubles(fields: readonly (readonly [number: number, value: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      const bytes = Buffer.alloc(9);
      bytes[0] = number * 8 + 1;
      bytes.writeDoubleLE(value, 1);
      return bytes;
    }),
  );
}
