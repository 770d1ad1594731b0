import { isStream } from '../state/same-stream.ts';
import type { StreamRef } from '../state/view-text.ts';

interface Named extends StreamRef {
  readonly name: string;
}

/** The name of a stream; behind one that another has, too, stands the id, and the topic where the other has the same id. */
export function nameAmong(stream: Named, all: readonly Named[]): string {
  const { topic, streamId, name } = stream;
  const same = all.filter((other) => other.name === name && !isStream(other, stream));
  if (same.length === 0) return name;
  const isInOtherTopic = same.some((other) => other.streamId === streamId);
  if (name === streamId) return isInOtherTopic ? `${name} (${topic})` : name;
  return `${name} (${isInOtherTopic ? `${topic}/` : ''}${streamId})`;
}
