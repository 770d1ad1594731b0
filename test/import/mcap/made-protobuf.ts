import protobuf from 'protobufjs';
import 'protobufjs/ext/descriptor.js';

/** A FileDescriptorSet as `protobufToDescriptor` of @mcap/support makes it: with names relative to their scope. */
export function descriptorOf(root: protobuf.Root): Uint8Array {
  const made = (root as unknown as { toDescriptor(syntax: string): protobuf.Message }).toDescriptor('proto3');
  return made.$type.encode(made).finish();
}

/** The types of .proto files. */
export function rootOf(...files: readonly string[]): protobuf.Root {
  const root = new protobuf.Root();
  for (const file of files) protobuf.parse(file, root, { keepCase: true });
  root.resolveAll();
  return root;
}
